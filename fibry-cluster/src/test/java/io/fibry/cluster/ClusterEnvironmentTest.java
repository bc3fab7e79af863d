package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.engine.Discovery;
import io.fibry.cluster.engine.NodeSecurity;
import io.fibry.cluster.engine.NodeSettings;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterEnvironmentTest {
    private static final String TWO = "127.0.0.1:7800,127.0.0.1:7801";

    @TempDir
    private Path folder;

    private static NodeSettings settings(String... pairs) {
        return new ClusterEnvironment(variables(pairs)).settings();
    }

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
    @CsvSource({"FIBRY_CLUSTER", "FIBRY_PORT", "FIBRY_MINIMUM", "FIBRY_TLS_KEYS", "FIBRY_TRUSTED_NETWORK",
        "FIBRY_NODE"})
    void whatIsBlankIsRefused(String name) {
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(Map.of(name, " ")))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(name + " is set, and blank");
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
        "file:c.db|FIBRY_MINIMUM=2|'FIBRY_MINIMUM is set, and a cluster on a database has no minimum'",
        "file:c.db|FIBRY_TLS_KEYS=k|'FIBRY_TLS_TRUSTED is not set, and FIBRY_TLS_KEYS is'",
        "jdbc:postgresql://h/b?password=secret|FIBRY_HOST=0.0.0.0|'give one address of this machine'"})
    void aWrongSettingOfADatabaseIsRefused(String cluster, String other, String text) {
        var variables = variables("FIBRY_CLUSTER", cluster, other.substring(0, other.indexOf('=')),
                other.substring(other.indexOf('=') + 1));
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(variables))
                .isInstanceOf(ClusterException.class).hasMessageContaining(text)
                .hasMessageNotContaining("secret");
    }

    /** No engine that finds nodes is on the class path of these tests. */
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
    @CsvSource({"FIBRY_PORT,7800", "FIBRY_MINIMUM,2", "FIBRY_TLS_KEYS,k", "FIBRY_TLS_TRUSTED,t",
        "FIBRY_TLS_PASSWORD,p",
        "FIBRY_TRUSTED_NETWORK,true", "FIBRY_REACH_ONLY,true"})
    void whatOnlyAClusterNeedsIsRefusedWithoutOne(String name, String value) {
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(Map.of(name, value)))
                .isInstanceOf(ClusterException.class).hasMessageContaining(name + " is set")
                .hasMessageContaining("FIBRY_CLUSTER is not");
    }

    @Promise("83.1")
    @Test
    void withoutAnEngineAClusterIsRefused() {
        assertThatThrownBy(() -> ClusterOptions.fromEnvironment(Map.of("FIBRY_CLUSTER", TWO)))
                .isInstanceOf(ClusterException.class).hasMessageContaining("no engine is on the class path")
                .hasMessageContaining("io.fibry:fibry-cluster-infinispan");
    }

    @Test
    void aListOfNodesOfThisMachine() {
        var settings = settings("FIBRY_CLUSTER", " 127.0.0.1:7800, 127.0.0.1:7801 ,127.0.0.1:7802");
        assertThat(settings).isEqualTo(new NodeSettings("fibry", "127.0.0.1", 0,
                new Discovery.Hosts(List.of("127.0.0.1:7800", "127.0.0.1:7801", "127.0.0.1:7802")), 2,
                new NodeSecurity.LoopbackOnly()));
        assertThat(settings.ports()).containsExactly(7800, 7801, 7802);
        var second = settings("FIBRY_CLUSTER", TWO, "FIBRY_PORT", "7801", "FIBRY_CLUSTER_NAME", "bank");
        assertThat(second.cluster()).isEqualTo("bank");
        assertThat(second.ports()).containsExactly(7801);
        assertThat(settings("FIBRY_CLUSTER", "[::1]:7800,[::1]:7801,[::1]:7802", "FIBRY_MINIMUM", "3"))
                .satisfies(six -> {
                    assertThat(six.host()).isEqualTo("::1");
                    assertThat(six.minimum()).isEqualTo(3);
                });
    }

    @Test
    void aNameInDns() {
        var settings = settings("FIBRY_CLUSTER", "dns:bank.default.svc", "FIBRY_HOST", "127.0.0.1",
                "FIBRY_MINIMUM", "2");
        assertThat(settings)
                .isEqualTo(new NodeSettings("fibry", "127.0.0.1", 7800, new Discovery.Dns("bank.default.svc"),
                        2, new NodeSecurity.LoopbackOnly()));
        assertThat(settings.ports()).containsExactly(7800);
    }

    @Test
    void certificatesAndTrustedNetworks() throws Exception {
        var keys = Files.createFile(folder.resolve("keys.p12"));
        var trusted = Files.createFile(folder.resolve("trusted.p12"));
        var hosts = "192.0.2.1:7800,192.0.2.2:7800";
        var tls =
                settings("FIBRY_CLUSTER", hosts, "FIBRY_HOST", "192.0.2.1", "FIBRY_TLS_KEYS", keys.toString(),
                        "FIBRY_TLS_TRUSTED", trusted.toString(), "FIBRY_TLS_PASSWORD", "not a secret");
        assertThat(tls.security()).isEqualTo(new NodeSecurity.MutualTls(keys, trusted, "not a secret"));
        assertThat(tls.toString()).doesNotContain("not a secret");
        assertThat(
                settings("FIBRY_CLUSTER", hosts, "FIBRY_HOST", "192.0.2.1", "FIBRY_TRUSTED_NETWORK", "true")
                        .security())
                .isEqualTo(new NodeSecurity.TrustedNetwork());
    }

    @Promise("83.3")
    @Test
    void otherAddressesNeedCertificatesOrATrustedNetwork() {
        assertThatThrownBy(() -> settings("FIBRY_CLUSTER", "192.0.2.1:7800", "FIBRY_HOST", "192.0.2.1"))
                .isInstanceOf(ClusterException.class).hasMessageContaining("192.0.2.1")
                .hasMessageContaining("FIBRY_TLS_KEYS, FIBRY_TLS_TRUSTED and FIBRY_TLS_PASSWORD")
                .hasMessageContaining("FIBRY_TRUSTED_NETWORK=true").hasMessageContaining(".certificates(")
                .hasMessageContaining(".trustedNetwork()");
        assertThatThrownBy(() -> settings("FIBRY_CLUSTER", "127.0.0.1:7800,192.0.2.2:7800"))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("192.0.2.2:7800 of the list of hosts cannot reach it")
                .hasMessageContaining("FIBRY_HOST");
    }

    @Promise("83.3")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "127.0.0.1|OTHER=|'\"127.0.0.1\" in the list of hosts is no address: write host:port'",
        "127.0.0.1:7800,|OTHER=|'\"\" in the list of hosts'",
        "127.0.0.1:0|OTHER=|'a port from 1 to 65535'",
        "127.0.0.1:70000|OTHER=|'a port from 1 to 65535'",
        "127.0.0.1:1 127.0.0.1:2|OTHER=|'is no address'",
        "127.0.0.1:7800,127.0.0.1:7800|OTHER=|'is in the list of hosts twice'",
        "127.0.0.1:7800|FIBRY_PORT=7x|'FIBRY_PORT=7x is no number'",
        "127.0.0.1:7800|FIBRY_PORT=tcp://10.0.0.1:7800|'enableServiceLinks: false'",
        "127.0.0.1:7800|FIBRY_PORT=-1|'with the port -1'",
        "127.0.0.1:7800|FIBRY_HOST=0.0.0.0|'give one address of this machine'",
        "127.0.0.1:7800|FIBRY_HOST=127.0.0.2|'127.0.0.2 is not in the list of hosts [127.0.0.1:7800]'",
        "192.0.2.1:7800|OTHER=|'None of [192.0.2.1:7800] is an address of this machine'",
        "127.0.0.1:7800,127.0.0.1:7801|FIBRY_PORT=7805|'with the port 7805'",
        "127.0.0.1:7800,127.0.0.1:7801|FIBRY_MINIMUM=1|'minimum is 1 of 2 hosts: give 2 to 2'",
        "127.0.0.1:7800,127.0.0.1:7801|FIBRY_MINIMUM=3|'minimum is 3 of 2 hosts: give 2 to 2. With more than there are, no node ever serves'",
        "127.0.0.1:7800,127.0.0.1:7801,localhost:7800|OTHER=|'\"localhost:7800\" is in the list of hosts twice'",
        "127.0.0.1:7800|FIBRY_MINIMUM=x|'FIBRY_MINIMUM=x is no number'",
        "dns:bank|FIBRY_HOST=127.0.0.1|'FIBRY_MINIMUM is not set: nobody knows how many nodes there will be'",
        "dns:|FIBRY_MINIMUM=2|'is no name in DNS'", "dns:bank:7800|FIBRY_MINIMUM=2|'without a port'",
        "127.0.0.1:7800|FIBRY_CLUSTER_NAME=a b,FIBRY_TLS_KEYS=/none|'FIBRY_TLS_TRUSTED is not set, and FIBRY_TLS_KEYS is'",
        "127.0.0.1:7800|FIBRY_TLS_KEYS=/none,FIBRY_TLS_TRUSTED=/none,FIBRY_TLS_PASSWORD=p|'FIBRY_TLS_KEYS=/none cannot be read'",
        "127.0.0.1:7800|FIBRY_TRUSTED_NETWORK=yes|'FIBRY_TRUSTED_NETWORK=yes is neither true nor false'",
        "127.0.0.1:7800|FIBRY_TRUSTED_NETWORK=true,FIBRY_TLS_KEYS=/none|'remove one of them'"})
    void whatCannotBeRightIsRefused(String cluster, String others, String text) {
        var variables = variables("FIBRY_CLUSTER", cluster);
        for (var each : others.split(",")) {
            variables.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        if (cluster.startsWith("dns:")) {
            variables.putIfAbsent("FIBRY_HOST", "127.0.0.1");
        }
        assertThatThrownBy(() -> new ClusterEnvironment(variables).settings())
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(text);
    }
}
