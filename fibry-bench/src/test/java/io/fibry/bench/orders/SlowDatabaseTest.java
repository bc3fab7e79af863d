package io.fibry.bench.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlowDatabaseTest {
    private static final Duration WORK = Duration.ofMillis(2);

    /** PostgreSQL, or what there is; and what there is in any case. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOrderIsFoundTakenAndBookedInThreeCallsThatTakeTheirTime(boolean preferred) throws Exception {
        try (var database = preferred ? SlowDatabase.start(WORK) : NoPostgres.start(WORK, "none");
                var connection = database.connect()) {
            var begun = System.nanoTime();
            for (int item = 0; item < 10; item++) {
                database.find(connection, item);
                database.take(connection, item);
                database.book(connection, item);
            }
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(3 * 10 * WORK.toNanos());

            assertThat(database.booked()).isEqualTo(10);
            assertThat(left(database, 9)).isEqualTo(999_999_999);
            assertThatThrownBy(() -> database.find(connection, 100)).hasMessage("there is no item 100");
            assertThatThrownBy(() -> database.take(connection, 100))
                    .hasMessageStartingWith("not one row: update");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"io", "not for this machine"})
    void whereThereIsNoPostgresAnEmbeddedDatabaseIsNamed(String why) throws Exception {
        try (var database = NoPostgres.start(WORK, why)) {
            assertThat(database.name()).startsWith("H2 2.");
            assertThat(database.remark()).hasValueSatisfying(remark -> assertThat(remark)
                    .startsWith("PostgreSQL cannot be started here (").contains(why)
                    .endsWith("so an embedded database takes its place"));
        }
        try (var another = NoPostgres.start(WORK, why)) {
            assertThat(another.booked()).isZero();
        }
    }

    private static int left(SlowDatabase database, int item) throws SQLException {
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var found = statement.executeQuery("select remaining from stock where item = " + item)) {
            found.next();
            return found.getInt(1);
        }
    }
}
