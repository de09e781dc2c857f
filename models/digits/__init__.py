"""A convolutional classifier of handwritten digits, and the images it learns from."""
