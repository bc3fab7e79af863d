package io.fibry.bench.orders;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An H2 database in this JVM, in memory. It runs wherever Java runs. A function of ours makes its calls take some time.
 */
public final class H2 implements OrdersEngine {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String url = "jdbc:h2:mem:orders" + NUMBERS.incrementAndGet();
    private final String work;

    private H2(Duration work) {
        this.work = "work(%d)".formatted(work.toNanos());
    }

    static OrdersEngine start(Duration work) {
        return new H2(work);
    }

    /**
     * Waits. Each statement calls this function once.
     *
     * @param nanos how long to wait
     * @return one, by which the statements multiply
     * @throws InterruptedException if the thread is interrupted
     */
    public static int work(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
        return 1;
    }

    /** The database exists until it is shut down, and not only until its last connection is closed. */
    @Override
    public String url() {
        return url + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
    }

    @Override
    public String[] tables() {
        return new String[]{"create table stock (item int primary key, remaining int not null)",
            "create table booked (id bigint generated always as identity primary key, item int not null)",
            "insert into stock select x, 1000000000 from system_range(0, 99)",
            "create alias work for '" + H2.class.getName() + ".work'"};
    }

    @Override
    public String find() {
        return "select remaining * " + work + " from stock where item = ?";
    }

    @Override
    public String take() {
        return "update stock set remaining = remaining - " + work + " where item = ?";
    }

    @Override
    public String book() {
        return "insert into booked (item) values (cast(? as int) * " + work + ")";
    }

    @Override
    public void close() {
        try (var connection = DriverManager.getConnection(url());
                var statement = connection.createStatement()) {
            statement.execute("shutdown");
        } catch (SQLException e) {
            throw new IllegalStateException("H2 does not stop", e);
        }
    }
}
