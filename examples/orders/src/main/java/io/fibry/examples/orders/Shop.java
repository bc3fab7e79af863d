package io.fibry.examples.orders;

/** Takes orders. Each calling thread brings one order, and any number of them may call at the same time. */
interface Shop extends AutoCloseable {
    int CONNECTIONS = 4;

    /**
     * Handles an order and waits for its end.
     *
     * @param order the order
     * @throws Exception if it was not handled: the shop has too much to do, or the database failed
     */
    void handle(Order order) throws Exception;

    @Override
    void close();
}
