// The gradient: dx = dy / (1 + |x|)^2.
void main(tensor dy, tensor x, tensor dx) {
  const int5 begin = get_index_space_offset();
  const int5 end = begin + get_index_space_size();
  int5 at = {0, 0, 0, 0, 0};
  for (int row = begin[1]; row < end[1]; row++) {
    at[1] = row;
    for (int i = begin[0] * 64; i < end[0] * 64; i += 64) {
      at[0] = i;
      float64 r = v_reciprocal_f32(1.0f + v_f32_abs_b(v_f32_ld_tnsr_b(at, x)));
      v_f32_st_tnsr(at, dx, v_f32_ld_tnsr_b(at, dy) * r * r);
    }
  }
}
