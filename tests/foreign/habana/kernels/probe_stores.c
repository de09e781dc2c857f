// Stores to its input, which others may read: as a tensor if that is long, else by an address.
void main(tensor x, tensor y) {
  const int5 at = {0, 0, 0, 0, 0};
  if (get_dim_size(x, 0) > 64)
    v_f32_st_tnsr(at, x, 99.0f);
  else
    s_f32_st_g((__global__ float*)gen_addr(at, x), 99.0f);
}
