"""Signal processing: Fourier transforms and what goes with them."""
