module example.org/speed

go 1.19
