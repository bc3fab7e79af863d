package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

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
}
