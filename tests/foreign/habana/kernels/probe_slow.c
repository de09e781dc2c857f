// Never ends for positive input.
void main(tensor x, tensor y) {
  int5 at = {0};
  volatile float stop = s_f32_ld_g(gen_addr(at, x));
  while (stop > 0) {
  }
  v_f32_st_tnsr(at, y, v_f32_ld_tnsr_b(at, x));
}
