// Looks up a table of the hardware that popir does not have.
void main(tensor x, tensor y) {
  int5 at = {0};
  uint64 rows = read_lane_id_4b_b();
  v_f32_st_tnsr(at, y, v_f32_lookup_1c(rows, 1, SW_BV32, v_f32_ld_tnsr_b(at, x)));
}
