module klero.example/sortition

go 1.21
