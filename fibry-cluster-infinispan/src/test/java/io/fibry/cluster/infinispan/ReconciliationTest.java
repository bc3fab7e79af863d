package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.testing.Promise;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.infinispan.context.Flag;
import org.jgroups.Message;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Engines in one process whose caches are given what they may have after parts of the cluster have met. Then one leaves, and the others have to agree on what was
 * acknowledged.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
@Tag("thorough")
class ReconciliationTest {
    private static final String NAME = Entries.name("t", "k");

    private final List<EngineMember> members = new ArrayList<>();
    private final List<InfinispanSettings> settings = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        members.addAll(EngineMember.start(3, each -> {
            settings.add(each);
            return each;
        }));
    }

    @AfterEach
    void close() {
        members.forEach(each -> each.engine.close());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private InfinispanEngine engine(int index) {
        return members.get(index).engine;
    }

    private void change(String from, String to) {
        assertThat(engine(0).compareAndSet("t", "k", from == null ? null : bytes(from),
                to == null ? null : bytes(to))).isEqualTo(Outcome.DONE);
    }

    private Optional<StoredValue> cached(int index) {
        return engine(index).entries().cached(NAME);
    }

    /** As Infinispan does when it keeps the entries of another part: nobody is told. */
    private void putIntoCache(int index, Optional<StoredValue> value) {
        putIntoCache(index, NAME, value);
    }

    private void putIntoCache(int index, String name, Optional<StoredValue> value) {
        var here = engine(index).entries().here().withFlags(Flag.CACHE_MODE_LOCAL,
                Flag.SKIP_LISTENER_NOTIFICATION);
        value.ifPresentOrElse(each -> here.put(name, each.stored()), () -> here.remove(name));
    }

    /** All of these are in one view, and each of them knows that it is whole. */
    private void awaitWhole(int... which) {
        for (var index : which) {
            var engine = engine(index);
            assertThat(engine.await(Duration.ofSeconds(30),
                    () -> engine.view().members().size() == which.length && engine.synced()
                            && engine.view().number() >= engine(which[0]).view().number()))
                    .isTrue();
        }
    }

    private void awaitNoMark(int... which) {
        for (var index : which) {
            assertThat(engine(index).await(Duration.ofSeconds(20), () -> cached(index).isEmpty())).isTrue();
        }
    }

    /** The mark has gone from the caches, and all have taken note of that. */
    private void awaitNothingRemembered(int... which) {
        awaitNoMark(which);
        for (var index : which) {
            var copies = engine(index).joined().join().reconciliation().copies();
            assertThat(engine(index).await(Duration.ofSeconds(20), () -> copies.get(NAME).isEmpty()))
                    .isTrue();
        }
    }

    /** A node says goodbye, so the next view is reconciled. */
    private void lastLeaves() {
        assertThat(engine(2).leave(Duration.ofSeconds(20))).isTrue();
        awaitWhole(0, 1);
    }

    private void assertAllHave(String value) {
        for (var index = 0; index < 2; index++) {
            assertThat(cached(index)).isEqualTo(cached(0));
            assertThat(cached(index).flatMap(StoredValue::value).map(String::new)).as("cache of %s", index)
                    .isEqualTo(Optional.of(value));
            assertThat(engine(index).get("t", "k")).as("read of %s", index)
                    .isEqualTo(bytes(value));
        }
        change(value, "next");
        assertThat(engine(1).get("t", "k")).isEqualTo(bytes("next"));
    }

    @Promise("83.17")
    @Test
    void anAcknowledgedChangeIsWrittenBackWhenAllCachesAreOlder() {
        change(null, "old");
        var old = cached(0);
        change("old", "new");
        for (var index = 0; index < 3; index++) {
            putIntoCache(index, old);
        }
        assertThat(engine(1).get("t", "k")).as("what was read is not read back").isEqualTo(bytes("new"));
        lastLeaves();
        assertAllHave("new");
    }

    @Test
    void anEntryThatIsGoneIsWrittenBack() {
        change(null, "new");
        for (var index = 0; index < 3; index++) {
            putIntoCache(index, Optional.empty());
        }
        lastLeaves();
        assertAllHave("new");
    }

    /** The mark of a removed entry is newer than the value. */
    @Test
    void whatWasRemovedDoesNotComeBack() {
        change(null, "old");
        var old = cached(0);
        change("old", null);
        awaitNothingRemembered(0, 1, 2);
        // As if the view had changed before the mark was removed.
        var mark = StoredValue.of(old.orElseThrow().number() + 1, old.orElseThrow().epoch(), null);
        for (var index = 0; index < 3; index++) {
            engine(index).entries().here().put(NAME, mark.stored());
        }
        putIntoCache(0, old);
        putIntoCache(1, old);
        lastLeaves();
        assertThat(engine(0).get("t", "k")).isNull();
        assertThat(engine(1).get("t", "k")).isNull();
        change(null, "next");
    }

    /** One member alone has the change of each entry: of some the one that decides them, of others another one. */
    @Test
    void aChangeThatIsHalfDoneIsTheSameOnAllAfterwards() {
        var keys = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();
        for (var key : keys) {
            assertThat(engine(0).compareAndSet("h", key, null, bytes("old"))).isEqualTo(Outcome.DONE);
        }
        for (var i = 0; i < keys.size(); i++) {
            var name = Entries.name("h", keys.get(i));
            var old = engine(i % 2).entries().cached(name).orElseThrow();
            // With a listener, as a change that is made.
            engine(i % 2).entries().here().put(name,
                    StoredValue.of(old.number() + 1, old.epoch(), bytes("half " + i)).stored());
            assertThat(engine(1 - i % 2).entries().cached(name)).contains(old);
        }
        lastLeaves();
        for (var i = 0; i < keys.size(); i++) {
            for (var index = 0; index < 2; index++) {
                assertThat(engine(index).get("h", keys.get(i))).isEqualTo(bytes("half " + i));
                assertThat(engine(index).entries().cached(Entries.name("h", keys.get(i)))
                        .flatMap(StoredValue::value).map(String::new)).contains("half " + i);
            }
        }
    }

    @Test
    void anEntryThatOneMemberAloneHasIsOnAllAfterwards() {
        var epoch = engine(0).wires().join().quorum().settledView().orElseThrow().epoch();
        for (var index = 0; index < 2; index++) {
            var half = StoredValue.of(1, epoch, bytes("half " + index));
            var name = Entries.name("u", "k" + index);
            engine(index).entries().here().put(name, half.stored());
        }
        lastLeaves();
        for (var index = 0; index < 2; index++) {
            assertThat(engine(0).get("u", "k" + index)).isEqualTo(bytes("half " + index));
            assertThat(engine(1).get("u", "k" + index)).isEqualTo(bytes("half " + index));
            assertThat(engine(1).compareAndSet("u", "k" + index, bytes("half " + index), bytes("next")))
                    .isEqualTo(Outcome.DONE);
        }
    }

    /** The entry is older than the last whole view, and no member of that view remembers it. */
    @Test
    void whatWasRemovedDoesNotComeBackFromOlderCaches() throws Exception {
        change(null, "old");
        var old = cached(0);
        lastLeaves();
        change("old", null);
        awaitNoMark(0, 1);
        putIntoCache(0, old);
        putIntoCache(1, old);
        assertThat(engine(0).get("t", "k")).isNull();
        lastComesBack();
        for (var index = 0; index < 3; index++) {
            assertThat(engine(index).get("t", "k")).isNull();
            assertThat(cached(index)).isEmpty();
        }
    }

    /** The node remembers the entry, and the mark that tells of its removal is gone from all members. */
    @Test
    void whatWasRemovedWithoutANodeDoesNotComeBackWithIt() throws Exception {
        change(null, "old");
        var discard = new DISCARD();
        engine(2).channel().getProtocolStack().insertProtocol(discard, ProtocolStack.Position.ABOVE,
                TP.class);
        discard.discardAll(true);
        awaitWhole(0, 1);
        change("old", null);
        awaitNoMark(0, 1);
        discard.discardAll(false);
        awaitWhole(0, 1, 2);
        for (var index = 0; index < 3; index++) {
            assertThat(engine(index).get("t", "k")).isNull();
            assertThat(cached(index)).isEmpty();
        }
        change(null, "next");
        assertThat(engine(2).get("t", "k")).isEqualTo(bytes("next"));
    }

    /** Both were in the last whole view. Whichever of them is wrong, nothing that was acknowledged is given up. */
    @Test
    void whatOneMemberRemembersStaysThoughAnotherOneDoesNot() throws Exception {
        var keys = keys("one", "value");
        lastLeaves();
        for (var key : keys) {
            var name = Entries.name("one", key);
            engine(1).joined().join().reconciliation().copies().follow(name, Optional.empty());
        }
        // Only buckets that differ are compared entry by entry, so one entry is made to differ.
        putIntoCache(0, Entries.name("one", keys.getFirst()), Optional.empty());
        lastComesBack();
        assertAllHave("one", keys, "value");
    }

    /**
     * The caches of those who remember have lost the entries, and the node that forgets has them. At first it finds them on no other node; a moment later they
     * have been put back there.
     */
    @Test
    void whatANodeThatWasAwayHasTooStays() throws Exception {
        var keys = keys("away", "value");
        var values = keys.stream().map(key -> engine(0).entries().cached(Entries.name("away", key))).toList();
        var discard = new DISCARD();
        engine(2).channel().getProtocolStack().insertProtocol(discard, ProtocolStack.Position.ABOVE,
                TP.class);
        discard.discardAll(true);
        awaitWhole(0, 1);
        for (var key : keys) {
            putIntoCache(0, Entries.name("away", key), Optional.empty());
            putIntoCache(1, Entries.name("away", key), Optional.empty());
        }
        // Infinispan copies no entries after this.
        var compared = new OnWord(Reconciliation.Stage.COMPARED, () -> {
            for (var i = 0; i < keys.size(); i++) {
                putIntoCache(2, Entries.name("away", keys.get(i)), values.get(i));
            }
        });
        engine(2).channel().getProtocolStack().insertProtocol(compared, ProtocolStack.Position.ABOVE,
                TP.class);
        discard.discardAll(false);
        awaitWhole(0, 1, 2);
        assertThat(compared.isDone).isTrue();
        assertAllHave("away", keys, "value");
        // Nor does it take them for removed later.
        lastLeaves();
        lastComesBack();
        assertAllHave("away", keys, "value");
    }

    private List<String> keys(String table, String value) {
        var keys = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();
        for (var key : keys) {
            assertThat(engine(0).compareAndSet(table, key, null, bytes(value))).isEqualTo(Outcome.DONE);
        }
        return keys;
    }

    private void lastComesBack() throws Exception {
        var again = new EngineMember("again", settings.getLast());
        members.set(2, again);
        again.engine.start(again.info, again);
        awaitWhole(0, 1, 2);
    }

    private void assertAllHave(String table, List<String> keys, String value) {
        for (var key : keys) {
            for (var index = 0; index < 3; index++) {
                assertThat(engine(index).get(table, key)).as("read of %s", index).isEqualTo(bytes(value));
                assertThat(engine(index).entries().cached(Entries.name(table, key))
                        .flatMap(StoredValue::value)).as("%s in the cache of %s", key, index)
                        .contains(bytes(value));
            }
        }
    }

    /** Does something when the first word comes that says that another member is through with a stage. */
    private static final class OnWord extends Protocol {
        private final Reconciliation.Stage stage;
        private final Runnable task;
        private final AtomicBoolean isDone = new AtomicBoolean();

        OnWord(Reconciliation.Stage stage, Runnable task) {
            this.stage = stage;
            this.task = task;
        }

        private void look(Message message) {
            if (message.hasArray() && message.getLength() > 30) {
                var bytes = ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength());
                var isWord = bytes.get() == Wire.TABLES;
                var said = bytes.position(1 + 16 + 8 + 4).get();
                if (isWord && said == stage.ordinal() && isDone.compareAndSet(false, true)) {
                    task.run();
                }
            }
        }

        @Override
        public Object up(Message message) {
            look(message);
            return up_prot.up(message);
        }

        @Override
        public void up(MessageBatch batch) {
            batch.forEach(this::look);
            up_prot.up(batch);
        }
    }

    /** A node may remember the mark alone, for it ignores what is removed while members come and go. */
    @Test
    void whatIsMadeAnewIsNewerThanTheMarkOfWhatWasThere() {
        change(null, "first");
        for (var i = 0; i < 5; i++) {
            change(i == 0 ? "first" : "value " + i, "value " + (i + 1));
        }
        var before = cached(0).orElseThrow();
        change("value 5", null);
        awaitNoMark(0, 1, 2);
        change(null, "next");
        assertThat(cached(0).orElseThrow().isNewerThan(before)).isTrue();
        assertThat(cached(0).orElseThrow().number()).isGreaterThan(before.number() + 1);
    }

    /** Marks take no room for long. */
    @Test
    void theMarkOfARemovedEntryGoes() {
        change(null, "old");
        change("old", null);
        awaitNoMark(0, 1, 2);
        change(null, "new");
        lastLeaves();
        assertAllHave("new");
    }

    /** Members may come or go while a mark is about to be removed. */
    @Test
    void aMarkThatWasLeftGoesWithTheNextView() {
        change(null, "old");
        var old = cached(0).orElseThrow();
        change("old", null);
        awaitNoMark(0, 1, 2);
        for (var index = 0; index < 3; index++) {
            putIntoCache(index, Optional.of(StoredValue.of(old.number() + 1, old.epoch(), null)));
        }
        lastLeaves();
        awaitNoMark(0, 1);
        assertThat(engine(0).get("t", "k")).isNull();
        change(null, "new");
    }

    @Test
    void manyEntriesThatDifferAreWrittenBack() {
        for (var i = 0; i < 2_000; i++) {
            assertThat(engine(i % 3).compareAndSet("many", "k" + i, null, bytes("v" + i)))
                    .isEqualTo(Outcome.DONE);
        }
        for (var index = 0; index < 3; index++) {
            var here = engine(index).entries().here().withFlags(Flag.CACHE_MODE_LOCAL,
                    Flag.SKIP_LISTENER_NOTIFICATION);
            for (var i = index; i < 2_000; i += 2) {
                here.remove(Entries.name("many", "k" + i));
            }
        }
        lastLeaves();
        for (var index = 0; index < 2; index++) {
            var caches = engine(index).entries();
            assertThat(engine(index).all("many")).hasSize(2_000);
            for (var i = 0; i < 2_000; i++) {
                assertThat(caches.cached(Entries.name("many", "k" + i)).flatMap(StoredValue::value))
                        .contains(bytes("v" + i));
            }
        }
    }
}
