package io.fibry.examples.cluster;

/**
 * Where a node may be: each process takes a free one.
 *
 * @param name the name of the node, one letter
 * @param page the port of its page
 */
record Place(String name, int page) {
    String address() {
        return "http://127.0.0.1:" + page + "/";
    }
}
