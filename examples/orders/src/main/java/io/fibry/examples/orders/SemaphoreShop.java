package io.fibry.examples.orders;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * Does by hand what {@link ActorShop} does: the customer's virtual thread needs a permit, of which there are as many as places in
 * the actors' queues, and one connection for the whole order. Without a permit the order is refused at once. It is as good.
 */
final class SemaphoreShop implements Shop {
    private final Semaphore permits = new Semaphore(CONNECTIONS * (ActorShop.PLACES + 1));
    private final BlockingQueue<Connection> pool = new ArrayBlockingQueue<>(CONNECTIONS, true);
    private final List<Connection> all = new ArrayList<>();

    SemaphoreShop(Database database) throws SQLException {
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(database.connect());
        }
        pool.addAll(all);
    }

    @Override
    public void handle(Order order) throws Exception {
        if (!permits.tryAcquire()) {
            throw new RefusedException();
        }
        try {
            var connection = pool.take();
            try {
                order.inStock(connection);
                order.take(connection);
                order.book(connection);
            } finally {
                pool.add(connection);
            }
        } finally {
            permits.release();
        }
    }

    @Override
    public void close() {
        Shop.close(all);
    }
}
