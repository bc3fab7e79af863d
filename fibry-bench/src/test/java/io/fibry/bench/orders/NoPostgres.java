package io.fibry.bench.orders;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** A machine that PostgreSQL does not start on. */
public final class NoPostgres {
    private NoPostgres() {
    }

    /** What a database is there; that PostgreSQL does not start has some reason. */
    public static SlowDatabase start(Duration work, String why) throws IOException, SQLException {
        return SlowDatabase.start(work, given -> {
            if (why.equals("io")) {
                throw new IOException(why);
            }
            throw new IllegalStateException(why);
        });
    }
}
