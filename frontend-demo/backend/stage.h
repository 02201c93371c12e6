/* The stages on the way to machine code. */
#ifndef LOX_BACKEND_STAGE_H
#define LOX_BACKEND_STAGE_H

enum lox_stage {
  LOX_STAGE_IR,      /* as emitted from the tree */
  LOX_STAGE_LOWERED, /* with allocation, barriers and statepoints */
  LOX_STAGE_ASSEMBLY,
  LOX_STAGE_OBJECT,
};

#endif
