"""The default model: a Gaussian filter over skills, with its packing and its kernels."""
