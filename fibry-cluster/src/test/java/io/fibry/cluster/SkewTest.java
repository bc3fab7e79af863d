package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;
import io.fibry.message.MessageFate;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Two nodes with two builds of a program: their groups have the same name, and their types have the same names in bytes. What changes is as
 * docs/cluster.md permits it under Updates, or not.
 */
class SkewTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(Cluster.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode older = new TestNode("older", network.node());
    private final TestNode newer = new TestNode("newer", network.node());
    private final ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.toString());
        }
    };

    /** The build that runs. */
    private static final class Old {
        sealed interface Command {
            int key();
        }

        record Put(int key, String text) implements Command {
        }

        record Look(int key) implements Command {
        }

        record Done(String text) {
        }

        static final ClusterGroup<Integer, Command, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Command.class, Done.class, Command::key);
    }

    /** A message and an answer have components that may be missing, and there is another message. */
    private static final class New {
        sealed interface Command {
            int key();
        }

        record Put(int key, String text, Optional<String> author,
                @Nullable Integer priority) implements Command {
        }

        record Look(int key) implements Command {
        }

        record Erase(int key) implements Command {
        }

        record Done(String text, Optional<Integer> size) {
        }

        static final ClusterGroup<Integer, Command, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Command.class, Done.class, Command::key);
    }

    /** A component has another name. */
    private static final class Renamed {
        record Put(int key, String words) {
        }

        record Done(String words) {
        }

        static final ClusterGroup<Integer, Put, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Put.class, Done.class, Put::key);
    }

    /** A component has another type. */
    private static final class Retyped {
        record Put(int key, long text) {
        }

        record Done(String text) {
        }

        static final ClusterGroup<Integer, Put, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Put.class, Done.class, Put::key);
    }

    /** As the build that runs, with one message alone. */
    private static final class Plain {
        record Put(int key, String text) {
        }

        record Done(String text) {
        }

        static final ClusterGroup<Integer, Put, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Put.class, Done.class, Put::key);
    }

    /** An answer has another name for its component. */
    private static final class OtherAnswer {
        record Put(int key, String text) {
        }

        record Done(String words) {
        }

        static final ClusterGroup<Integer, Put, Done> GROUP =
                ClusterGroup.of("notes", Integer.class, Put.class, Done.class, Put::key);
    }

    @BeforeEach
    void listen() {
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void close() {
        LOGGER.detachAppender(log);
        newer.close();
        older.close();
    }

    private <M, R> KeyedActors<Integer, M, R> share(TestNode node, ClusterGroup<Integer, M, R> group,
            Function<M, R> answer) {
        return node.share(group, key -> (self, message) -> {
            handled.add(node.cluster.self().name() + " " + message);
            return answer.apply(message);
        });
    }

    /** Returns a key whose home is a node, once both nodes have their share of the slices. */
    private int keyOf(TestNode home) {
        soon().until(() -> List.of(older, newer).stream().allMatch(from -> from.cluster.homes().stream()
                .anyMatch(homes -> homes.countOf(older.cluster.self()) == 8
                        && homes.countOf(newer.cluster.self()) == 8)));
        return IntStream.range(0, 1_000)
                .filter(key -> home.cluster.homeOf(Plain.GROUP, key).equals(Optional.of(home.cluster.self())))
                .findFirst().orElseThrow();
    }

    private KeyedActors<Integer, Old.Command, Old.Done> shareOld() {
        return share(older, Old.GROUP, command -> new Old.Done("old " + command.key()));
    }

    private KeyedActors<Integer, New.Command, New.Done> shareNew() {
        return share(newer, New.GROUP, command -> new New.Done("new " + command.key(), Optional.of(7)));
    }

    @Test
    void aNewerNodeReadsWhatAnOlderOneSendsAndIsUnderstood() throws Exception {
        var notes = shareOld();
        shareNew();
        var key = keyOf(newer);
        assertThat(Waits.on(notes.sendMessageReturn(new Old.Put(key, "text"))))
                .isEqualTo(new Old.Done("new " + key));
        assertThat(handled).containsExactly("newer " + new New.Put(key, "text", Optional.empty(), null));
    }

    @Test
    void anOlderNodeReadsWhatANewerOneSendsAndIsUnderstood() throws Exception {
        shareOld();
        var notes = shareNew();
        var key = keyOf(older);
        assertThat(Waits.on(notes.sendMessageReturn(new New.Put(key, "text", Optional.of("ann"), 1))))
                .isEqualTo(new New.Done("old " + key, Optional.empty()));
        assertThat(handled).containsExactly("older " + new Old.Put(key, "text"));
    }

    @Promise("80.7")
    @Test
    void aTypeThatAnOlderNodeDoesNotKnowIsRefusedThereAndAllElseGoesOn() throws Exception {
        shareOld();
        var notes = shareNew();
        var key = keyOf(older);
        var here = keyOf(newer);
        var before = new ArrayList<CompletableFuture<New.Done>>();
        var refused = new ArrayList<CompletableFuture<New.Done>>();
        for (int i = 0; i < 20; i++) {
            before.add(notes.sendMessageReturn(new New.Look(key)));
            refused.add(notes.sendMessageReturn(new New.Erase(key)));
        }
        for (var each : before) {
            assertThat(Waits.on(each)).isEqualTo(new New.Done("old " + key, Optional.empty()));
        }
        for (var each : refused) {
            assertThat(Waits.failure(each)).isInstanceOf(NotHandledException.class)
                    .hasMessageContainingAll("'older'", "it does not know the message");
        }
        assertThat(handled).hasSize(20).allMatch(each -> each.equals("older " + new Old.Look(key)));
        assertThat(lines).anyMatch(
                line -> line.contains("from node 'newer' to the group 'notes' was refused")
                        && line.contains("Erase"));
        assertThat(Waits.on(notes.sendTracked(new New.Erase(key)))).isInstanceOfSatisfying(
                MessageFate.Refused.class,
                fate -> assertThat(fate.cause()).isEqualTo(Cause.NOT_UNDERSTOOD));
        var erase = new New.Erase(key);
        assertThat(notes.sendMessage(erase)).isTrue();
        soon().until(() -> newer.events(ClusterEvent.NotHandled.class)
                .contains(new ClusterEvent.NotHandled("notes", erase, Cause.NOT_UNDERSTOOD)));
        assertThat(Waits.on(notes.sendMessageReturn(new New.Erase(here))))
                .isEqualTo(new New.Done("new " + here, Optional.of(7)));
    }

    /** Each of the two nodes asks the other one. */
    private <M, R, N, S> void assertNeitherIsUnderstood(KeyedActors<Integer, M, R> old,
            Function<Integer, M> oldMessage,
            KeyedActors<Integer, N, S> next, Function<Integer, N> nextMessage, String component)
            throws Exception {
        var atNewer = Waits.failure(old.sendMessageReturn(oldMessage.apply(keyOf(newer))));
        assertThat(atNewer).isInstanceOf(NotHandledException.class)
                .hasMessageContainingAll("'newer'", "it does not know the message");
        var atOlder = Waits.failure(next.sendMessageReturn(nextMessage.apply(keyOf(older))));
        assertThat(atOlder).isInstanceOf(NotHandledException.class)
                .hasMessageContainingAll("'older'", "it does not know the message");
        assertThat(handled).isEmpty();
        // A node writes the line after it has told its verdict.
        soon().untilAsserted(() -> assertThat(
                lines.stream().filter(line -> line.contains("to the group 'notes' was refused")))
                .hasSize(2)
                .allMatch(line -> line.contains(component)));
        // What both builds have in common is each node's own.
        assertThat(Waits.on(old.sendMessageReturn(oldMessage.apply(keyOf(older))))).isNotNull();
        assertThat(Waits.on(next.sendMessageReturn(nextMessage.apply(keyOf(newer))))).isNotNull();
    }

    @Promise("80.7")
    @Test
    void aComponentWithAnotherNameIsRefusedWithTheCause() throws Exception {
        assertNeitherIsUnderstood(share(older, Plain.GROUP, put -> new Plain.Done("old")),
                key -> new Plain.Put(key, "text"),
                share(newer, Renamed.GROUP, put -> new Renamed.Done("new")),
                key -> new Renamed.Put(key, "text"), "Put.");
    }

    @Promise("80.7")
    @Test
    void aComponentOfAnotherTypeIsRefusedWithTheCause() throws Exception {
        assertNeitherIsUnderstood(share(older, Plain.GROUP, put -> new Plain.Done("old")),
                key -> new Plain.Put(key, "text"),
                share(newer, Retyped.GROUP, put -> new Retyped.Done("new")),
                key -> new Retyped.Put(key, 5), "Put.text");
    }

    /** The message was handled, so its sender must not be told that it was not. */
    @Test
    void anAnswerThatIsNotUnderstoodFailsTheAskWithTheCause() throws Exception {
        var notes = share(older, Plain.GROUP, put -> new Plain.Done("old"));
        share(newer, OtherAnswer.GROUP, put -> new OtherAnswer.Done("new"));
        var key = keyOf(newer);
        var failure = Waits.failure(notes.sendMessageReturn(new Plain.Put(key, "text")));
        assertThat(failure).isExactlyInstanceOf(ClusterException.class)
                .hasMessageContainingAll("An answer of the group 'notes' is not understood", "Done.text");
        assertThat(handled).containsExactly("newer " + new OtherAnswer.Put(key, "text"));
    }
}
