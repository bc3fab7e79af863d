package io.fibry.bench.orders;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A pool of connections, and threads that wait for one of them three times in an order. Under too much load, most
 * orders have made some calls when the next call waits for long. All work is begun, and little of it ends in time.
 */
final class WaitingShop implements MeasuredShop {
    private final SlowDatabase database;
    private final ExecutorService threads;
    private final Duration patience;
    private final BlockingQueue<Connection> pool;
    private final List<Connection> all = new ArrayList<>();

    /** One of the three calls. */
    private interface Call {
        void on(Connection connection, int item) throws SQLException;
    }

    /** Makes the shop. The threads wait for a connection for the given time, and are closed with the shop. */
    WaitingShop(SlowDatabase database, int connections, ExecutorService threads, Duration patience)
            throws SQLException {
        this.database = database;
        this.threads = threads;
        this.patience = patience;
        pool = new ArrayBlockingQueue<>(connections, true);
        for (int i = 0; i < connections; i++) {
            all.add(database.connect());
        }
        pool.addAll(all);
    }

    @Override
    public void handle(int item) throws Exception {
        try {
            threads.submit(() -> {
                call(database::find, item);
                call(database::take, item);
                call(database::book, item);
                return item;
            }).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void call(Call call, int item) throws Exception {
        var connection = pool.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (connection == null) {
            throw new BusyException("no connection within " + patience);
        }
        try {
            call.on(connection, item);
        } finally {
            pool.add(connection);
        }
    }

    @Override
    public void close() throws SQLException {
        threads.close();
        for (var each : all) {
            each.close();
        }
    }
}
