package io.fibry.bench.orders;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;

/** A PostgreSQL database of its own, in a temporary folder. */
final class Postgres implements OrdersEngine {
    private final EmbeddedPostgres server;
    private final String work;

    private Postgres(EmbeddedPostgres server, Duration work) {
        this.server = server;
        this.work = "pg_sleep(%s)".formatted(work.toNanos() / 1e9);
    }

    static OrdersEngine start(Duration work) throws IOException {
        return new Postgres(EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("fsync", "off").start(), work);
    }

    @Override
    public String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public String[] tables() {
        return new String[]{"create table stock (item int primary key, remaining int not null)",
            "create table booked (id bigserial primary key, item int not null)",
            "insert into stock select n, 1000000000 from generate_series(0, 99) n"};
    }

    @Override
    public String find() {
        return "select remaining from stock, " + work + " where item = ?";
    }

    @Override
    public String take() {
        return "update stock set remaining = remaining - 1 from " + work + " where item = ?";
    }

    @Override
    public String book() {
        return "insert into booked (item) select ? from " + work;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
