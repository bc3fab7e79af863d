package io.fibry.examples.orders;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Works as a servlet container with a connection pool does. There are 200 threads, each of which waits up to a second
 * for a connection, three times for each order. Under too much load all threads wait, most orders have made two calls
 * when the third one gives up, and that work is lost.
 */
final class BlockingShop implements Shop {
    private static final int THREADS = 200;
    private static final long WAIT_MILLIS = 1_000;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final BlockingQueue<Connection> pool = new ArrayBlockingQueue<>(CONNECTIONS);
    private final List<Connection> all = new ArrayList<>();

    private interface Call {
        void on(Connection connection) throws SQLException;
    }

    BlockingShop(Database database) throws SQLException {
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(database.connect());
        }
        pool.addAll(all);
    }

    @Override
    public void handle(Order order) throws Exception {
        try {
            threads.submit(() -> {
                call(order::inStock);
                call(order::take);
                call(order::book);
                return order;
            }).get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private void call(Call call) throws Exception {
        var connection = pool.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        if (connection == null) {
            throw new SQLException("no connection within " + WAIT_MILLIS + " ms");
        }
        try {
            call.on(connection);
        } finally {
            pool.add(connection);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        Shop.close(all);
    }
}
