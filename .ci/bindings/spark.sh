# klero.spark on a cluster of two executors on this machine, in a clean environment.
#
#   KLERO_SPARK_CLAIMS=2000000    the number of claims that it verifies (by default 200,000)

spark() {
    local environment=$PWD/target/spark-environment
    command -v java >/dev/null || packages openjdk-17-jre-headless || {
        skipped "klero.spark; to have it: apt-get install openjdk-17-jre-headless"
        return
    }
    step "Spark: a clean environment"
    # The workspaces have one profile, so that what they share is compiled once.
    local -x CARGO_TARGET_DIR=$PWD/target
    python_environment "$environment"
    (
        export PATH="$environment/bin:$PATH" PIP_DISABLE_PIP_VERSION_CHECK=1
        cd bindings/python
        readme "pip install '.[spark]' pytest" README.md
        readme 'pytest spark-tests' README.md
        # Once, so that it keeps running; its figures count on a quiet machine only.
        python3 bench/spark.py 20000
        pip install --quiet mypy pandas-stubs polars
        mypy python/klero spark-tests bench/spark.py
    )
    [ -n "${KLERO_SPARK_CLAIMS:-}" ] ||
        skipped "klero.spark with 2,000,000 claims; to have it: KLERO_SPARK_CLAIMS=2000000 .ci/run spark"
}
