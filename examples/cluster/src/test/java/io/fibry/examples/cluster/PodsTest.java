package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.cluster.trial.DatabaseProxy;
import io.fibry.cluster.trial.Namespaces;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image runs as {@code kubernetes.yaml} says, each pod in a network namespace that stands for a machine, while callers deposit. What Kubernetes
 * does is done by {@link PodProcess} and this class.
 */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "fibry.image", matches = ".+", disabledReason = "the image is made by the phase package, and tried after it")
class PodsTest {
    /** Pods that are terminated still run when the next ones begin. */
    private static final int MACHINES = 7;
    /** What a JVM ends with after SIGTERM. */
    private static final int TERMINATED = 143;
    private static final String PASSWORD = "not-for-logs";

    @TempDir
    private Path folder;

    private final List<PodProcess> pods = new CopyOnWriteArrayList<>();
    private Fields deployment;
    private BankImage image;
    private EmbeddedPostgres server;
    private DatabaseProxy database;
    private DepositCalls calls;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Namespaces.canBeMade(), "network namespaces need root");
        deployment = Fields.object(Fields.read(KubernetesTest.FILE), "Deployment").at("spec");
        image = BankImage.make(folder.resolve("image"));
        server = EmbeddedPostgres.builder().start();
        Namespaces.open(MACHINES);
        database = new DatabaseProxy(InetAddress.getByName(Namespaces.ownHost()), server.getPort());
        for (int i = 0; i < replicas(); i++) {
            startPod();
        }
        until("all pods are ready", () -> ready().size() == replicas());
        calls = new DepositCalls(() -> ready().stream().map(PodProcess::address).toList());
        until("deposits are made", () -> calls.acknowledged() > 100);
    }

    @AfterEach
    void close() throws Exception {
        if (calls != null) {
            calls.close();
        }
        pods.forEach(PodProcess::close);
        if (database != null) {
            database.close();
            Namespaces.close(MACHINES);
        }
        if (server != null) {
            server.close();
        }
    }

    private int replicas() {
        return deployment.at("replicas").number();
    }

    private List<PodProcess> ready() {
        return pods.stream().filter(PodProcess::isReady).toList();
    }

    private void startPod() throws IOException {
        var used = pods.stream().filter(each -> !each.ended().isDone()).map(PodProcess::machine).toList();
        var machine =
                IntStream.range(0, MACHINES).filter(each -> !used.contains(each)).findFirst().orElseThrow();
        pods.add(new PodProcess("bank-" + pods.size(), machine, deployment.at("template"), image,
                Map.of("bank-database/url",
                        database.through(server.getJdbcUrl("postgres", "postgres")) + "&password="
                                + PASSWORD),
                folder));
    }

    private void until(String what, Callable<Boolean> condition) {
        await(what).atMost(Duration.ofMinutes(4)).pollInterval(Duration.ofMillis(100)).failFast(() -> {
            for (var each : pods) {
                assertThat(each.ended()).isNotCompletedExceptionally();
            }
        }).until(condition);
    }

    /** All callers go on for a while, and then each deposit was made once. */
    private void endAndCheck(String what) throws Exception {
        var soFar = calls.acknowledged();
        until("deposits go on", () -> calls.acknowledged() > soFar + 100);
        calls.endAndCheck(ready().stream().map(PodProcess::address).toList());
        var memory = 0L;
        for (var each : ready()) {
            memory = Math.max(memory, each.memory());
        }
        System.out.printf("%s: %d deposits, at most %d MiB of a process, sent again: %s%n", what,
                calls.acknowledged(), memory / 1024, calls.repeated());
        for (var each : pods) {
            assertThat(each.log()).doesNotContain(PASSWORD);
        }
    }

    /** A pod is added, and one is terminated, as often as the strategy permits, until all are new. */
    private void rollOut() throws Exception {
        var old = List.copyOf(pods);
        var strategy = deployment.at("strategy", "rollingUpdate");
        var most = replicas() + strategy.at("maxSurge").number();
        var least = replicas() - strategy.at("maxUnavailable").number();
        var fresh = 0;
        while (fresh < replicas() || !old.stream().allMatch(PodProcess::isTerminating)) {
            var alive = pods.stream().filter(each -> !each.isTerminating()).count();
            if (fresh < replicas() && alive < most) {
                startPod();
                fresh++;
            }
            until("a pod can go", () -> ready().size() > least);
            old.stream().filter(each -> !each.isTerminating()).findFirst().ifPresent(PodProcess::terminate);
        }
    }

    @Test
    void aRollingUpdateFailsNoRequest() throws Exception {
        var old = new ArrayList<>(pods);
        var begin = System.nanoTime();
        rollOut();
        for (var each : old) {
            assertThat(each.ended().get()).as(each.name()).isEqualTo(TERMINATED);
        }
        until("the new pods are ready", () -> ready().size() == replicas());
        System.out.printf("the rolling update took %d s%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
        endAndCheck("rolling update");
        assertThat(calls.repeated()).isEmpty();
        assertThat(pods).allMatch(each -> each.restarts() == 0);
    }

    /** Its kubelet goes on to probe it: it is not ready, and is not started again. */
    @Test
    void aPodThatIsCutOffIsNotReadyAndComesBack() throws Exception {
        var pod = pods.getFirst();
        Namespaces.cut(pod.machine());
        until("the pod is not ready", () -> !pod.isReady());
        var soFar = calls.acknowledged();
        until("the others serve", () -> calls.acknowledged() > soFar + 100);
        awaitLivenessProbes();
        Namespaces.heal(pod.machine());
        until("the pod is ready", pod::isReady);
        endAndCheck("cut off");
        assertThat(pods).allMatch(each -> each.restarts() == 0);
    }

    /** Waits until each pod was probed more often than it may fail to answer. */
    private void awaitLivenessProbes() {
        var probe = deployment.at("template", "spec", "containers").list().getFirst().at("livenessProbe");
        var soFar = pods.stream().mapToInt(PodProcess::livenessProbes).toArray();
        until("all pods are probed", () -> IntStream.range(0, pods.size()).allMatch(each -> pods.get(each)
                .livenessProbes() > soFar[each] + probe.at("failureThreshold").number()));
    }

    @Test
    void withoutTheDatabaseNoPodIsReadyAndNoneIsKilled() throws Exception {
        database.away(true);
        until("no pod is ready", () -> ready().isEmpty());
        awaitLivenessProbes();
        var old = List.copyOf(pods);
        startPod();
        until("a new pod does not get far", () -> pods.getLast().restarts() > 0);
        database.away(false);
        until("all pods are ready", () -> ready().size() == pods.size());
        endAndCheck("database away");
        assertThat(old).allMatch(each -> each.restarts() == 0);
    }

    @Test
    void aPodThatDoesNotAnswerIsStartedAgain() throws Exception {
        var pod = pods.getFirst();
        pod.freeze();
        until("the pod is not ready", () -> !pod.isReady());
        until("the pod is started again, and ready", () -> pod.restarts() == 1 && pod.isReady());
        endAndCheck("frozen");
        assertThat(pods).filteredOn(each -> each != pod).allMatch(each -> each.restarts() == 0);
    }
}
