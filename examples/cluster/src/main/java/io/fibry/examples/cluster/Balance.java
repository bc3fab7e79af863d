package io.fibry.examples.cluster;

/**
 * What an account has.
 *
 * @param cents the money
 * @param entries how many deposits there were
 * @param node the node whose actor has answered
 */
record Balance(long cents, long entries, String node) {
}
