package io.fibry.cluster.simulation;

/**
 * A mistake in the sources, which a scenario must find. A comment {@code // mutant: id} stands before the statement that is changed.
 *
 * @param id what goes wrong
 * @param file the source, below {@code io/fibry/cluster}
 * @param from what is replaced
 * @param to by what
 * @param scenario finds the mistake
 * @param seeds in so many seeds
 */
record Mutant(String id, String file, String from, String to, String scenario, int seeds) {
    @Override
    public String toString() {
        return id;
    }
}
