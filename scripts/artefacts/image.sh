# klero-VERSION-x86_64-image.tar: the static command on nothing, as an image of the Open Container
# Initiative: a tar of its layout directory. In it every file is named by its SHA-256 sum, and describes
# others by theirs: the index names the manifest, which names the configuration and one layer.
artefact_image() {
    local root=$stage/root layout=$stage/layout layer config manifest
    command_files "$stage/from"
    install -D "$stage/from/klero" "$root/usr/bin/klero"
    install -D -m 644 -t "$root/usr/share/doc/klero" "$stage/from"/LICENSE*
    # The demonstration makes its chain there.
    install -d -m 1777 "$root/tmp"
    tar_of "$root" tmp usr >"$stage/layer.tar"
    gzip -9n <"$stage/layer.tar" >"$stage/layer.tar.gz"

    mkdir -p "$layout/blobs/sha256"
    layer=$(image_blob vnd.oci.image.layer.v1.tar+gzip <"$stage/layer.tar.gz")
    config=$(image_blob vnd.oci.image.config.v1+json <<CONFIG
{
  "created": "$(date --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)",
  "architecture": "amd64",
  "os": "linux",
  "config": {
    "Entrypoint": ["/usr/bin/klero"],
    "Env": ["PATH=/usr/bin"],
    "Labels": {
      "org.opencontainers.image.title": "klero",
      "org.opencontainers.image.version": "$version",
      "org.opencontainers.image.revision": "$commit",
      "org.opencontainers.image.licenses": "Apache-2.0 OR MIT"
    }
  },
  "rootfs": { "type": "layers", "diff_ids": ["sha256:$(sha256sum <"$stage/layer.tar" | cut -c 1-64)"] }
}
CONFIG
)
    manifest=$(image_blob vnd.oci.image.manifest.v1+json \
        '"platform": { "architecture": "amd64", "os": "linux" },
      "annotations": { "org.opencontainers.image.ref.name": "klero:'"$version"'" }' <<MANIFEST
{
  "schemaVersion": 2,
  "mediaType": "application/vnd.oci.image.manifest.v1+json",
  "config": $config,
  "layers": [$layer]
}
MANIFEST
)
    cat >"$layout/index.json" <<INDEX
{
  "schemaVersion": 2,
  "mediaType": "application/vnd.oci.image.index.v1+json",
  "manifests": [$manifest]
}
INDEX
    echo '{ "imageLayoutVersion": "1.0.0" }' >"$layout/oci-layout"
    tar_of "$layout" blobs index.json oci-layout >"$made/klero-$version-x86_64-image.tar"
}

# Keeps standard input under its sum, and prints how others name it: image_blob TYPE [MORE FIELDS]
image_blob() {
    local file=$stage/blob sum
    cat >"$file"
    sum=$(sha256sum <"$file" | cut -c 1-64)
    printf '{ "mediaType": "application/%s", "digest": "sha256:%s", "size": %d%s }' \
        "$1" "$sum" "$(stat --format %s "$file")" "${2:+, $2}"
    mv "$file" "$layout/blobs/sha256/$sum"
}
