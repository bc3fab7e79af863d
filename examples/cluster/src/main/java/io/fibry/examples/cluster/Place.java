package io.fibry.examples.cluster;

/**
 * Where a node may be: each process takes a free one.
 *
 * @param name the name of the node, one letter
 * @param port where it talks to other nodes
 * @param page where it serves its page
 */
record Place(String name, int port, int page) {
    String host() {
        return "127.0.0.1:" + port;
    }

    String address() {
        return "http://127.0.0.1:" + page + "/";
    }
}
