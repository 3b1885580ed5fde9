#!/usr/bin/env bash
# Runs mpirun with what tests need: launch.sh openmpi|mpich|mpi MPIRUN argument...
#
# Open MPI by itself refuses more ranks than processors, and root.
set -euo pipefail
kind=$1 run=$2
shift 2
if [ "$kind" = openmpi ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  exec "$run" --oversubscribe "$@"
fi
exec "$run" "$@"
