package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.postgresql.Driver;

class ClusterDatabaseTest {
    private static Properties options(String url) {
        return Driver.parseURL(ClusterDatabase.withDefaults(url), new Properties());
    }

    @Test
    void whatTheUrlSaysGoesBeforeTheDefaults() {
        assertThat(options("jdbc:postgresql://db/bank")).containsEntry("PGDBNAME", "bank")
                .containsEntry("connectTimeout", "2").containsEntry("socketTimeout", "2");
        assertThat(options("jdbc:postgresql://db/bank?user=ann&connectTimeout=7"))
                .containsEntry("PGDBNAME", "bank").containsEntry("user", "ann")
                .containsEntry("connectTimeout", "7").containsEntry("socketTimeout", "2");
    }

    private static Throwable failureOfStart(String url) {
        var node = new EngineMember("n", DatabaseSettings.of(url));
        try {
            node.engine.start(node.info, node);
            throw new AssertionError(url + " was used");
        } catch (Exception failed) {
            return failed;
        }
    }

    private static void assertNoSecret(Throwable failed) {
        var text = new StringWriter();
        failed.printStackTrace(new PrintWriter(text));
        assertThat(text.toString()).doesNotContain("secret");
    }

    @Test
    void noFailureTellsAPassword() throws SQLException {
        var url = "jdbc:postgresql://db:none/bank?user=ann&password=secret";
        assertThat(failureOfStart(url)).hasMessageContaining("jdbc:postgresql://db:none/bank?")
                .hasMessageContaining("password=...")
                .satisfies(ClusterDatabaseTest::assertNoSecret);
        Driver.deregister();
        try {
            assertThat(failureOfStart(url)).hasMessageContaining("No suitable driver")
                    .hasMessageEndingWith("; add org.postgresql:postgresql to the class path")
                    .satisfies(ClusterDatabaseTest::assertNoSecret);
        } finally {
            Driver.register();
        }
        for (var each : List.of("postgresql://ann:secret@db/bank",
                "jdbc:mysql://db/bank?user=ann&Password=secret",
                "jdbc:postgresql://ann:secret@db/bank")) {
            assertThatThrownBy(() -> ClusterDatabase.of(each)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("...").hasMessageContaining("ann")
                    .hasMessageContaining("write jdbc:postgresql://host/database")
                    .satisfies(ClusterDatabaseTest::assertNoSecret);
        }
    }

    @Test
    void whatIsNoPasswordIsShown() {
        var url = "jdbc:postgresql://db:5432/bank?user=ann@server";
        assertThat(ClusterDatabase.of(url).text()).isEqualTo(url);
    }
}
