module klero.example/klero

go 1.19
