module example.org/kernels

go 1.19
