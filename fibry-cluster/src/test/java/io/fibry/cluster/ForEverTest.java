package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.Accounts.Deposit;
import io.fibry.cluster.Accounts.Look;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time limits that are longer than the clock can count. */
@Timeout(120)
class ForEverTest {
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();
    private static final ClusterGroup<String, String, Void> NEWS = ClusterGroup.topic("news", String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();

    private TestNode node(String name) {
        var node = new TestNode(ActorSystem.open(name), ClusterOptions.on(name, network.node()).slices(16)
                .askLimit(FOR_EVER).moveLimit(FOR_EVER).roomLimit(FOR_EVER).sendBuffer(1));
        nodes.add(node);
        return node;
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    @Promise("79.3")
    @Test
    void messagesWithEndlessLimitsAreHandledOnAnotherNode() throws Exception {
        var a = node("a");
        var b = node("b");
        b.cluster.share(Accounts.GROUP, Accounts.of(b.scope));
        var accounts = a.cluster.reach(Accounts.GROUP);
        assertThat(Waits.on(accounts.sendMessageReturn(new Look(1)))).isZero();
        assertThat(accounts.sendMessage(new Deposit(1, 5), FOR_EVER)).isTrue();
        assertThat(Waits.on(accounts.sendTracked(new Deposit(1, 6), FOR_EVER)).isHandled()).isTrue();
        assertThat(Waits.on(accounts.ask(new Look(1), FOR_EVER))).isEqualTo(11);
    }

    @Promise("79.3")
    @Test
    void sendersWaitForRoomWithoutALimit() throws Exception {
        var a = node("a");
        var accounts = a.cluster.reach(Accounts.GROUP);
        assertThat(accounts.sendMessage(new Deposit(1, 5))).isTrue();
        var second = CompletableFuture.supplyAsync(() -> accounts.sendMessage(new Deposit(1, 6)));
        var b = node("b");
        b.cluster.share(Accounts.GROUP, Accounts.of(b.scope));
        assertThat(Waits.on(second)).isTrue();
        assertThat(Waits.on(accounts.sendMessageReturn(new Look(1)))).isEqualTo(11);
    }

    @Promise("79.3")
    @Test
    void aNodeMayTakeAsLongAsItWantsToLeave() {
        var a = node("a");
        var b = node("b");
        a.cluster.topic(NEWS, TopicOptions.defaults());
        assertThat(a.cluster.leave(FOR_EVER)).isTrue();
        soon().until(() -> !b.events(ClusterEvent.Left.class).isEmpty());
        try (var scope = ActorSystem.open("alone");
                var alone = Cluster.open(scope, ClusterOptions.alone().moveLimit(FOR_EVER))) {
            alone.share(Accounts.GROUP, Accounts.of(scope));
            assertThat(alone.leave(FOR_EVER)).isTrue();
        }
    }

    @Promise("79.3")
    @Test
    void aLeaveWithAWrongDeadlineDoesNotBegin() {
        var a = node("a");
        var b = node("b");
        try (var scope = ActorSystem.open("alone");
                var alone = Cluster.open(scope, ClusterOptions.alone())) {
            for (var cluster : List.of(a.cluster, alone)) {
                assertThatThrownBy(() -> cluster.leave(null)).isInstanceOf(NullPointerException.class)
                        .hasMessage("deadline");
                assertThatThrownBy(() -> cluster.leave(Duration.ofNanos(-1)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("deadline must not be negative: PT-0.000000001S");
                assertThat(cluster.serves()).isTrue();
                assertThat(cluster.leave(TestNode.LIMIT)).isTrue();
            }
        }
        soon().until(() -> !b.events(ClusterEvent.Left.class).isEmpty());
    }
}
