# SPDX-License-Identifier: Apache-2.0
"""What the tests on samples share: how a difference is told, the command line in a sample, and the environment of runs."""
import os
import shlex


class Difference(Exception):
    pass


def need_same(ours, theirs, what):
    if ours != theirs:
        raise Difference(f"{what}: {ours!r}, not {theirs!r}")


def load(folder, name):
    with open(os.path.join(folder, name + ".txt"), encoding="utf-8") as file:
        return file.read()


def command_of(text):
    """Ranks and arguments of the line "$ mpiexec -n 2 ior ...", and the output behind it."""
    line, _, output = text.partition("\n")
    words = shlex.split(line)
    if words[:3] != ["$", "mpiexec", "-n"]:
        raise ValueError(f"no command line: {line}")
    return int(words[3]), words[5:], output


def environment(**more):
    """That of a run with more ranks than processors, as root."""
    return dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", PRTE_MCA_hwloc_default_binding_policy="none",
                OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_pml="ob1", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)
