//! Files that commands write.

use crate::support::{CHALLENGE, place, third_party};

#[cfg(unix)]
#[test]
fn tokens_are_written_for_their_owner_alone() {
    let place = place();
    let mode = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        place.path(name).metadata().unwrap().permissions().mode() & 0o777
    };
    third_party(&place, "registry");
    for line in [
        "mint --key chain.skey --payload all --out wide",
        "append wide --expires 2h --out narrow",
        &format!("seal narrow --audience shop {CHALLENGE} --out sealed"),
    ] {
        let ran = place.run(&format!("token {line}")).ends(0);
        assert_eq!(ran.stdout + &ran.stderr, "");
        let name = line.split(' ').next_back().unwrap();
        assert_eq!(mode(name), 0o600);
        assert!(place.read(name).starts_with("S1QD") && place.read(name).ends_with('\n'));
    }
    place.run("token request narrow --out request").ends(0);
    place
        .run("token statement request --key registry.skey --payload x --out statement")
        .ends(0);
    place
        .run("token challenge --audience shop --out challenge")
        .ends(0);
    for name in ["request", "statement", "challenge"] {
        assert_ne!(mode(name) & 0o444, 0o400, "anyone may read {name}");
    }
    // Replaced, it is private even if the older file was not.
    std::fs::set_permissions(
        place.path("wide"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    place
        .run("token mint --key chain.skey --payload all --out wide --force")
        .ends(0);
    assert_eq!(mode("wide"), 0o600);
}

#[test]
fn no_file_is_replaced_unasked() {
    let place = place();
    place
        .run("token mint --key chain.skey --payload all --out token")
        .ends(0);
    place.run("token request token --out request").ends(0);
    third_party(&place, "registry");
    let before = place.names().len();
    place.write("precious", "precious");
    for line in [
        "mint --key chain.skey --payload all",
        "append token --payload x",
        &format!("seal token --audience shop {CHALLENGE}"),
        "request token",
        "statement request --key registry.skey --payload x",
        "challenge --audience shop",
    ] {
        let line = format!("token {line} --out precious");
        place
            .run(&line)
            .refused("cannot write precious: the file exists (--force replaces it)");
        assert_eq!(place.read("precious"), "precious");
        place.run(&format!("{line} --force")).ends(0);
        assert_ne!(place.read("precious"), "precious");
        place.write("precious", "precious");
        place
            .run(&line.replace("precious", "no/file"))
            .refused("cannot write no/file: ");
    }
    assert_eq!(place.names().len(), before + 1, "nothing is left behind");
    place.run("token append token --payload x --force").ends(2);
    // A token may be replaced by its own successor.
    place
        .run("token append token --expires 1h --out token --force")
        .ends(0);
    assert!(
        place
            .run("token inspect token")
            .ends(0)
            .stdout
            .contains("2 blocks")
    );
}
