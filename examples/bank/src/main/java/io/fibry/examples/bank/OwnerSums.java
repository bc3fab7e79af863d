package io.fibry.examples.bank;

import io.fibry.durable.Durable.Past;
import io.fibry.durable.Projection;
import io.fibry.examples.bank.BankAccount.Event;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The sum of all accounts of each owner: tables in the file of the accounts, which are written with the place of the projection, and a page. */
final class OwnerSums {
    private final Path file;

    OwnerSums(Path file) {
        this.file = file;
    }

    /** Adds what has happened to the tables. */
    static void write(Connection connection, Projection.Batch<Event> batch) throws SQLException {
        if (batch.isFirst()) {
            try (var statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS owners");
                statement.execute("DROP TABLE IF EXISTS sums");
                statement.execute("CREATE TABLE owners(account TEXT PRIMARY KEY, owner TEXT NOT NULL)");
                statement.execute("CREATE TABLE sums(owner TEXT PRIMARY KEY, cents BIGINT NOT NULL)");
            }
        }
        for (var turn : batch.turns()) {
            for (var event : turn.events()) {
                write(connection, turn, event);
            }
        }
    }

    private static void write(Connection connection, Past<Event> turn, Event event) throws SQLException {
        switch (event) {
            case BankAccount.Opened opened -> {
                run(connection, "INSERT INTO owners VALUES(?, ?)", turn.key(), opened.owner());
                run(connection, "INSERT INTO sums VALUES(?, 0) ON CONFLICT(owner) DO NOTHING",
                        opened.owner());
                add(connection, turn, opened.cents());
            }
            case BankAccount.Paid paid -> add(connection, turn, -paid.cents());
            case BankAccount.Received received -> add(connection, turn, received.cents());
            case BankAccount.Returned returned -> add(connection, turn, returned.cents());
            case BankAccount.Closed closed -> {
                // Its money still belongs to the owner.
            }
        }
    }

    private static void add(Connection connection, Past<Event> turn, long cents) throws SQLException {
        run(connection,
                "UPDATE sums SET cents = cents + ? WHERE owner = (SELECT owner FROM owners WHERE account = ?)",
                cents, turn.key());
    }

    private static void run(Connection connection, String sql, Object... values) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    /** Returns the cents of each owner. */
    Map<String, Long> read() throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT owner, cents FROM sums")) {
            var sums = new TreeMap<String, Long>();
            while (rows.next()) {
                sums.put(rows.getString(1), rows.getLong(2));
            }
            return sums;
        }
    }

    /** Returns the page. */
    String html() throws SQLException {
        return read().entrySet().stream()
                .map(sum -> "<tr><td>%s<td align=right>%,d".formatted(sum.getKey(), sum.getValue()))
                .collect(Collectors.joining("\n",
                        "<!doctype html><title>Bank</title><table><tr><th>owner<th>cents\n", "\n</table>\n"));
    }
}
