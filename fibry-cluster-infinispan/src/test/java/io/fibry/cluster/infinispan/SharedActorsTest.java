package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes share actors. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SharedActorsTest {
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    @TempDir
    private Path folder;

    private NodeProcess start(String name) throws IOException {
        var port = ports.get("abc".indexOf(name));
        var hosts = String.join(",", ports.stream().map(each -> "127.0.0.1:" + each).toList());
        var node = new NodeProcess(name, nodes.size(), "127.0.0.1:" + port,
                List.of(SharedNode.class.getName(), name, "" + port, hosts), folder);
        nodes.add(node);
        return node;
    }

    private void three() throws Exception {
        ports.addAll(Ports.free(3));
        for (var each : List.of("a", "b", "c")) {
            start(each);
        }
        for (var each : nodes) {
            each.awaitReady();
        }
        awaitSpread("abc");
    }

    /** Waits until exactly these answer, the same ones for the same keys to each node that is left. */
    private void awaitSpread(String names) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        var answers = new ArrayList<String>();
        do {
            answers.clear();
            for (var each : nodes) {
                answers.add(each.ask("spread"));
            }
            assertThat(System.nanoTime()).as("after a minute %s", answers).isLessThan(end);
        } while (answers.stream().distinct().count() > 1 || !names.equals(
                answers.getFirst().chars().sorted().distinct().mapToObj(Character::toString).reduce("",
                        String::concat)));
    }

    @AfterEach
    void kill() {
        nodes.forEach(NodeProcess::kill);
    }

    @Test
    void aNodeThatIsKilledAndOnesThatLeave() throws Exception {
        three();
        var a = nodes.get(0);
        var b = nodes.get(1);
        var c = nodes.get(2);
        assertThat(a.ask("members")).isEqualTo("abc");
        for (var each : List.of(a, b)) {
            assertThat(each.ask("begin")).isEqualTo("begun");
        }
        c.kill();
        nodes.remove(c);
        awaitSpread("ab");
        for (var each : List.of(a, b)) {
            var result = each.ask("end");
            System.out.println("kill -9: " + each + ": answered, uncertain, longest ms: " + result);
            assertThat(result).endsWith("{}");
            // One that asks has one ask underway.
            assertThat(result.split(" ")[1]).isIn("0", "1");
        }

        assertThat(a.ask("begin")).isEqualTo("begun");
        assertThat(b.ask("leave")).isEqualTo("true");
        nodes.remove(b);
        awaitSpread("a");
        var result = a.ask("end");
        System.out.println("leave: answered, uncertain, longest ms: " + result);
        assertThat(result).endsWith("{}");
        assertThat(result.split(" ")[1]).isEqualTo("0");
        b.kill();
    }

    /** The others go on without it; when it is thawed it learns that, ends what it has, and takes part again. */
    @Test
    @Tag("thorough")
    void aNodeThatIsFrozenComesBack() throws Exception {
        three();
        var c = nodes.get(2);
        for (var each : nodes.subList(0, 2)) {
            assertThat(each.ask("begin")).isEqualTo("begun");
        }
        c.signal("STOP");
        nodes.remove(c);
        awaitSpread("ab");
        c.signal("CONT");
        nodes.add(c);
        awaitSpread("abc");
        for (var each : nodes.subList(0, 2)) {
            var result = each.ask("end");
            System.out.println("freeze: " + each + ": answered, uncertain, longest ms: " + result);
            assertThat(result).endsWith("{}");
            assertThat(result.split(" ")[1]).isIn("0", "1");
        }
    }

    @Test
    @Tag("thorough")
    void allNodesAreRestartedOneAfterTheOther() throws Exception {
        three();
        for (var name : List.of("c", "b", "a")) {
            var old = nodes.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
            nodes.remove(old);
            for (var each : nodes) {
                assertThat(each.ask("begin")).isEqualTo("begun");
            }
            assertThat(old.ask("leave")).isEqualTo("true");
            old.kill();
            start(name).awaitReady();
            awaitSpread("abc");
            for (var each : nodes.subList(0, 2)) {
                var result = each.ask("end");
                System.out.println(
                        "restart of " + name + ": " + each + ": answered, uncertain, longest ms: " + result);
                assertThat(result).endsWith("{}");
                assertThat(result.split(" ")[1]).isEqualTo("0");
            }
        }
    }
}
