// y = a / b + a % b, of two integers, in the first element.
void main(tensor x, tensor y, int a, int b) {
  const int5 at = {0, 0, 0, 0, 0};
  const int quotient = a / b;
  v_f32_st_tnsr(at, y, v_f32_ld_tnsr_b(at, x) * (float)quotient + (float)(a % b));
}
