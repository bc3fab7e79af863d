package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterEnvironmentTest {
    @TempDir
    private Path folder;

    private static Map<String, String> variables(String... pairs) {
        var variables = new HashMap<String, String>();
        for (int i = 0; i < pairs.length; i += 2) {
            variables.put(pairs[i], pairs[i + 1]);
        }
        return variables;
    }

    /** Otherwise a mistake in a manifest would make many nodes that are each alone. */
    @Promise("83.3")
    @ParameterizedTest
    @CsvSource({"FIBRY_CLUSTER", "FIBRY_CLUSTER_NAME", "FIBRY_HOST", "FIBRY_PORT", "FIBRY_TLS_KEYS",
        "FIBRY_TLS_TRUSTED", "FIBRY_TLS_PASSWORD", "FIBRY_TRUSTED_NETWORK", "FIBRY_REACH_ONLY",
        "FIBRY_NODE"})
    void whatIsBlankIsRefused(String name) {
        for (var variables : List.of(variables(name, " "),
                variables("FIBRY_CLUSTER", "file:c.db", name, " "))) {
            assertThatThrownBy(() -> ClusterOptions.fromEnvironment(variables))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining(name + " is set, and blank");
        }
    }

    /** What is around other values is left out, since a shell or a manifest may have put it there. */
    @Promise("83.3")
    @Test
    void aPasswordMayBeginAndEndWithBlanks() throws Exception {
        var file = folder.resolve("keys.p12");
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var out = Files.newOutputStream(file)) {
            store.store(out, " secret ".toCharArray());
        }
        var variables = variables("FIBRY_CLUSTER", "file:" + folder.resolve("cluster.db"), "FIBRY_HOST",
                "127.0.0.1", "FIBRY_TLS_KEYS", " " + file, "FIBRY_TLS_TRUSTED", file + " ",
                "FIBRY_TLS_PASSWORD", " secret ");
        try (var scope = ActorSystem.open("bank")) {
            assertThatThrownBy(() -> Cluster.open(scope, ClusterOptions.fromEnvironment(variables)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("there are no certificates in");
        }
    }

    @Promise("92.7")
    @Test
    void aDatabaseMakesANode() {
        var variables = Map.of("FIBRY_CLUSTER", "file:" + folder.resolve("cluster.db"), "FIBRY_NODE", "a",
                "FIBRY_CLUSTER_NAME", "bank", "FIBRY_REACH_ONLY", "true");
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.fromEnvironment(variables))) {
            assertThat(cluster.self().name()).isEqualTo("a");
            assertThat(cluster.self().hosts()).isFalse();
            assertThat(cluster.members()).containsExactly(cluster.self());
            assertThat(cluster.serves()).isTrue();
        }
        assertThat(ClusterOptions
                .fromEnvironment(Map.of("FIBRY_CLUSTER", "jdbc:postgresql://192.0.2.1/bank?password=secret",
                        "FIBRY_HOST", "192.0.2.2",
                        "FIBRY_PORT", "7800", "FIBRY_TRUSTED_NETWORK", "true"))
                .engine().orElseThrow().toString())
                .contains("192.0.2.1").doesNotContain("secret");
    }

    @Promise("83.3")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"file:|FIBRY_PORT=0|'file:cluster.db, a file of SQLite'",
        "jdbc:h2:mem:x|FIBRY_PORT=0|'jdbc:postgresql://host/database'",
        "jdbc:sqlite::memory:|FIBRY_PORT=0|'is no database that nodes can have in common'",
        "file:c.db|FIBRY_REACH_ONLY=yes|'FIBRY_REACH_ONLY=yes is neither true nor false'",
        "file:c.db|FIBRY_PORT=x|'FIBRY_PORT=x is no number'",
        "file:c.db|FIBRY_PORT=70000|'give one from 0 to 65535'",
        "file:c.db|FIBRY_PORT=tcp://10.0.0.1:7800|'enableServiceLinks: false'",
        "127.0.0.1:7800|FIBRY_PORT=0|'is no database that nodes can have in common'",
        "file:c.db|FIBRY_TLS_KEYS=k|'FIBRY_TLS_TRUSTED is not set, and FIBRY_TLS_KEYS is'",
        "jdbc:postgresql://h/b?password=secret|FIBRY_HOST=0.0.0.0|'give one address of this machine'",
        "file:c.db|FIBRY_HOST=0|'give one address of this machine'",
        "file:c.db|FIBRY_HOST=0:0::0|'give one address of this machine'"})
    void aWrongSettingOfADatabaseIsRefused(String cluster, String other, String text) {
        var variables = variables("FIBRY_CLUSTER", cluster, other.substring(0, other.indexOf('=')),
                other.substring(other.indexOf('=') + 1));
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(variables))
                .isInstanceOf(ClusterException.class).hasMessageContaining(text)
                .hasMessageNotContaining("secret");
    }

    /** The other machines would have files of their own, and each node would be alone. */
    @Promise("83.3")
    @Test
    void aFileIsNoDatabaseOfANetwork() {
        var variables = variables("FIBRY_CLUSTER", "file:c.db", "FIBRY_HOST", "192.0.2.1");
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(variables))
                .isInstanceOf(ClusterException.class).hasMessageContaining("host is \"192.0.2.1\"")
                .hasMessageContaining("c.db").hasMessageContaining("jdbc:postgresql://host/database");
        for (var local : List.of("127.0.0.2", "localhost", "::1")) {
            variables.put("FIBRY_HOST", local);
            assertThat(ClusterOptions.fromEnvironment(variables).engine()).isPresent();
        }
        variables.put("FIBRY_HOST", "192.0.2.1");
        variables.put("FIBRY_CLUSTER", "jdbc:postgresql://192.0.2.2/bank");
        assertThat(ClusterOptions.fromEnvironment(variables).engine()).isPresent();
    }

    @Promise("83.1")
    @Test
    void withoutSettingsANodeIsAlone() {
        assertThat(ClusterOptions.fromEnvironment(Map.of())).isEqualTo(ClusterOptions.alone());
        var named = ClusterOptions.fromEnvironment(Map.of("FIBRY_NODE", "a"));
        assertThat(named).isEqualTo(ClusterOptions.alone().name("a"));
        try (var scope = ActorSystem.open("bank"); var cluster = Cluster.open(scope, named)) {
            assertThat(cluster.self().name()).isEqualTo("a");
            assertThat(cluster.serves()).isTrue();
        }
    }

    @Promise("83.1")
    @ParameterizedTest
    @CsvSource({"FIBRY_PORT,7800", "FIBRY_TLS_KEYS,k", "FIBRY_TLS_TRUSTED,t",
        "FIBRY_TLS_PASSWORD,p",
        "FIBRY_TRUSTED_NETWORK,true", "FIBRY_REACH_ONLY,true", "FIBRY_HOST,10.0.0.1",
        "FIBRY_CLUSTER_NAME,bank"})
    void whatOnlyAClusterNeedsIsRefusedWithoutOne(String name, String value) {
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(Map.of(name, value)))
                .isInstanceOf(ClusterException.class).hasMessageContaining(name + " is set")
                .hasMessageContaining("FIBRY_CLUSTER is not");
    }

    @Promise("83.3")
    @Test
    void certificatesAreThereAllOrNot() throws Exception {
        var keys = Files.createFile(folder.resolve("keys.p12")).toString();
        var wrong = List.of(
                variables("FIBRY_TLS_KEYS", keys, "FIBRY_TLS_TRUSTED", keys),
                variables("FIBRY_TLS_KEYS", keys, "FIBRY_TLS_TRUSTED", keys, "FIBRY_TLS_PASSWORD", "a secret",
                        "FIBRY_TRUSTED_NETWORK", "true"),
                variables("FIBRY_TLS_KEYS", "/none", "FIBRY_TLS_TRUSTED", keys, "FIBRY_TLS_PASSWORD",
                        "a secret"));
        var texts = List.of("FIBRY_TLS_PASSWORD is not set, and FIBRY_TLS_KEYS is", "remove one of them",
                "FIBRY_TLS_KEYS=/none cannot be read");
        for (int i = 0; i < wrong.size(); i++) {
            var variables = new HashMap<>(wrong.get(i));
            variables.put("FIBRY_CLUSTER", "jdbc:postgresql://192.0.2.2/bank");
            variables.put("FIBRY_HOST", "192.0.2.1");
            assertThatThrownBy(() -> ClusterOptions.fromEnvironment(variables))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining(texts.get(i)).hasMessageNotContaining("a secret");
        }
    }
}
