// The parts of a cell. After popnn/LstmDef.hpp of PopLibs 3.
#ifndef popnn_LstmDef_hpp
#define popnn_LstmDef_hpp

/// Each has weights, a bias and an activation function.
enum BasicLstmCellUnit {
  BASIC_LSTM_CELL_FORGET_GATE = 0,
  BASIC_LSTM_CELL_INPUT_GATE = 1,
  BASIC_LSTM_CELL_CANDIDATE = 2,
  BASIC_LSTM_CELL_OUTPUT_GATE = 3,
  BASIC_LSTM_CELL_NUM_UNITS = 4
};

#endif
