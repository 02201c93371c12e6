# sh stress.sh PROGRAM: runs it with a collection at every allocation and poll, and all checks.
SPGC_OPTIONS=stress=every-allocation,move=always,poison=on
SPGC_OPTIONS=$SPGC_OPTIONS,verify=full,walk=differential,seed=1
export SPGC_OPTIONS
exec "$@"
