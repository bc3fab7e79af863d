package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.cluster.database.ClusterSession.Entry;
import io.fibry.cluster.database.ClusterSession.NodeRow;
import io.fibry.cluster.database.ClusterSession.State;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What an engine on a database keeps, with engines in one process. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class EngineContract {
    /** So long that a busy machine costs no node its lease. */
    static final Duration LEASE = Duration.ofSeconds(15);

    private final List<EngineMember> members = new ArrayList<>();

    /** The database, which has no tables yet. */
    abstract DatabaseSettings settings();

    /** For tests that last as long as a lease, or half of it. */
    final DatabaseSettings shortLease() {
        return settings().lease(Duration.ofSeconds(5));
    }

    /** Makes a connection for a test that changes rows itself. */
    abstract Connection connect() throws SQLException;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<EngineMember> start(int size) throws Exception {
        return start(size, settings());
    }

    private List<EngineMember> start(int size, DatabaseSettings settings) throws Exception {
        members.addAll(EngineMember.start(size, settings));
        return members;
    }

    private EngineMember add(EngineMember member) {
        members.add(member);
        assertThat(member.start().majority()).isTrue();
        return member;
    }

    /** Changes rows in one transaction. */
    private void update(String... changes) throws SQLException {
        try (var connection = connect(); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (var each : changes) {
                statement.executeUpdate(each);
            }
            connection.commit();
        }
    }

    private long number(String query) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @AfterEach
    void close() {
        members.forEach(each -> each.engine.close());
    }

    @Test
    void aChangeIsAcknowledgedOnceAndSeenByAll() throws Exception {
        var two = start(2);
        var first = two.get(0).engine;
        var second = two.get(1).engine;
        assertThat(first.get("t", "k")).isNull();
        assertThat(EngineMember.compareAndSet(first, "t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        two.get(1).awaitEntry("t/k=1");
        assertThat(second.get("t", "k")).isEqualTo(bytes("1"));
        assertThat(EngineMember.compareAndSet(second, "t", "k", null, bytes("2"))).isEqualTo(Outcome.REFUSED);
        assertThat(EngineMember.compareAndSet(second, "t", "k", bytes("0"), bytes("2")))
                .isEqualTo(Outcome.REFUSED);
        assertThat(EngineMember.compareAndSet(second, "t", "k", bytes("1"), bytes("2")))
                .isEqualTo(Outcome.DONE);
        assertThat(second.get("t", "k")).isEqualTo(bytes("2"));
        // Whoever changes an entry has the newest value then, whatever it knew before.
        assertThat(EngineMember.compareAndSet(first, "t", "k", bytes("x"), bytes("y")))
                .isEqualTo(Outcome.REFUSED);
        assertThat(first.get("t", "k")).isEqualTo(bytes("2"));
        assertThat(EngineMember.compareAndSet(first, "u", "k", null, bytes("3"))).isEqualTo(Outcome.DONE);
        assertThat(second.all("t")).hasSize(1).containsEntry("k", bytes("2"));
        assertThat(EngineMember.compareAndSet(second, "t", "k", bytes("2"), null)).isEqualTo(Outcome.DONE);
        two.get(0).awaitEntry("t/k=null");
        assertThat(first.all("t")).isEmpty();
        assertThat(EngineMember.compareAndSet(first, "t", "k", null, bytes("4"))).isEqualTo(Outcome.DONE);
    }

    @Test
    void manyChangesAtATimeAreEachMadeOnce() throws Exception {
        var two = start(2);
        var done = new AtomicLong();
        var workers = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < 16; i++) {
            var engine = two.get(i % 2).engine;
            workers.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 20;) {
                    var now = engine.get("t", "sum");
                    var next =
                            (now == null ? 0 : Long.parseLong(new String(now, StandardCharsets.UTF_8))) + 1;
                    if (EngineMember.compareAndSet(engine, "t", "sum", now,
                            bytes("" + next)) == Outcome.DONE) {
                        done.incrementAndGet();
                        n++;
                    }
                }
            }, task -> Thread.ofVirtual().start(task)));
        }
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get();
        assertThat(done).hasValue(320);
        two.get(0).awaitEntry("t/sum=320");
        two.get(1).awaitEntry("t/sum=320");
    }

    @Test
    void messagesArriveInOrder() throws Exception {
        var two = start(2);
        for (int i = 0; i < 1000; i++) {
            assertThat(two.get(0).send(two.get(1), "m" + i)).isTrue();
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(two.get(1).messages.poll(60, TimeUnit.SECONDS)).isEqualTo("m" + i);
        }
        assertThat(two.get(0).engine.send(UUID.randomUUID(), ByteBuffer.allocate(1))).isFalse();
        var large = "x".repeat(3 << 20);
        assertThat(two.get(1).send(two.get(0), large)).isTrue();
        assertThat(two.get(0).messages.poll(60, TimeUnit.SECONDS)).isEqualTo(large);
    }

    @Test
    void whoLeavesIsNotLost() throws Exception {
        var two = start(2);
        assertThat(two.get(0).compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(20))).isTrue();
        assertThat(two.get(1).awaitView(1)).containsExactly(two.get(0).id());
        assertThat(two.get(1).engine.get("t", "k")).isEqualTo(bytes("1"));
        assertThat(two.get(1).compareAndSet("t", "k", bytes("1"), bytes("2"))).isEqualTo(Outcome.DONE);
        assertThatThrownBy(() -> two.get(0).engine.get("t", "k")).isInstanceOf(NotServedException.class);
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(1))).isFalse();
    }

    /** Whatever a thread of it had begun before, or others find later. */
    @Promise("92.8")
    @Test
    void aGoodbyeIsFinal() throws Exception {
        try (var session = settings().database.connect("c", Duration.ofMinutes(1))) {
            session.makeTables();
            var left = UUID.randomUUID();
            session.join(left, 1, "127.0.0.1:1", "here", new byte[0], 1);
            assertThat(session.remove(left, ClusterSession.ANY_BEAT, State.LEFT)).isTrue();
            session.join(left, 2, "127.0.0.1:1", "here", new byte[0], 1);
            session.accuse(left);
            assertThat(session.remove(left, ClusterSession.ANY_BEAT, State.LOST)).isFalse();
            assertThat(session.nodes().rows()).extracting(NodeRow::state).containsExactly(State.LEFT);
        }
    }

    /** Others have told what was underway to it as uncertain. */
    @Promise("92.1")
    @Test
    void aNodeThatOthersHaveLostDoesNotSayGoodbyeAnyMore() throws Exception {
        var two = start(2);
        two.get(0).ended = new CompletableFuture<>(); // so it does not join again
        update("UPDATE fibry_cluster_nodes SET state = 2 WHERE address LIKE '%:" + two.get(0).engine.port()
                + "'", "UPDATE fibry_cluster_states SET view = view + 1");
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(20))).isFalse();
        two.get(0).ended.complete(null);
        assertThat(two.get(1).awaitView(1)).isEmpty();
    }

    /** On one machine a closed port proves it: nobody waits for the end of the lease. */
    @Promise("92.1")
    @Test
    void whoEndsWithoutAGoodbyeIsLost() throws Exception {
        // A hint may be lost on the way, and comes again with a beat, each 20 s here.
        start(3, settings().lease(Duration.ofMinutes(2)));
        members.get(0).engine.close();
        assertThat(members.get(1).awaitView(2)).isEmpty();
        assertThat(members.get(2).awaitView(2)).isEmpty();
        members.get(1).engine.close();
        assertThat(members.get(2).awaitView(1)).isEmpty();
        assertThat(members.get(2).compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
    }

    /** There is no majority to be lost, and all entries are there for the next node. */
    @Promise("92.3")
    @Test
    void allMayEndAndComeBack() throws Exception {
        var two = start(2);
        assertThat(two.get(0).compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        var number = two.get(0).engine.view().number();
        two.forEach(each -> each.engine.close());
        var next = add(new EngineMember("next", settings()));
        next.awaitView(1);
        assertThat(next.engine.view().number()).isGreaterThan(number);
        assertThat(next.engine.get("t", "k")).isEqualTo(bytes("1"));
    }

    /** Another process may have the port of a node that has died. */
    @Promise("92.1")
    @Test
    void aPortOfAnotherIncarnationProvesADeath() throws Exception {
        start(2, settings().lease(Duration.ofMinutes(5)));
        var port = members.get(0).engine.port();
        members.get(0).engine.close();
        add(new EngineMember("again", settings().lease(Duration.ofMinutes(5)).listen("127.0.0.1", port)));
        var expected = List.of(members.get(1).id(), members.get(2).id());
        while (!members.get(1).seen().equals(expected)) {
            Thread.yield(); // a view of two may be told more than once
        }
    }

    @Promise("92.2")
    @Test
    void aLeaseThatIsOverIsNotedByTheNodeItselfAndItsPeriodEndsBeforeTheNext() throws Exception {
        var two = start(2, shortLease());
        var lost = two.get(0);
        lost.ended = new CompletableFuture<>();
        update("UPDATE fibry_cluster_nodes SET state = 2 WHERE address LIKE '%:" + lost.engine.port() + "'",
                "UPDATE fibry_cluster_states SET view = view + 1");
        assertThat(two.get(1).awaitView(1)).isEmpty();
        lost.awaitSilence();
        assertThat(lost.engine.view().majority()).isFalse();
        assertThatThrownBy(() -> lost.compareAndSet("t", "k", null, bytes("1")))
                .isInstanceOf(NotServedException.class);
        assertThat(lost.send(two.get(1), "m")).isFalse();
        // A few beats: it does not join while what it has served goes on.
        assertThat(lost.views.poll(3 * shortLease().pause().toMillis(), TimeUnit.MILLISECONDS)).isNull();
        lost.ended.complete(null);
        lost.awaitView(2);
        two.get(1).awaitView(2);
        assertThat(lost.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
    }

    private static Lease.Clocks clocks(AtomicLong ahead) {
        return new Lease.Clocks() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long wallTime() {
                return System.nanoTime() + ahead.get();
            }
        };
    }

    /** The lease counts from the begin of the join, and may be over at its end. */
    @Promise("92.7")
    @Test
    void aNodeThatJoinsTooSlowlyJoinsOnceMore() throws Exception {
        var one = start(1).getFirst();
        assertThat(one.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        var ahead = new AtomicLong();
        var slow = new EngineMember("slow", settings(), clocks(ahead));
        slow.whenEntryIsTold = () -> ahead.set(settings().lease.toNanos());
        add(slow);
        assertThat(slow.seen()).containsExactly(one.id(), slow.id());
        assertThat(slow.engine.serves()).isTrue();
    }

    /** A thread that has found the lease over may stand still until the node has joined again. */
    @Promise("92.2")
    @Test
    void aThreadThatIsLateDoesNotEndTheNextPeriod() throws Exception {
        var late = new FutureTask<>(() -> members.getFirst().engine.get("t", "k"));
        var looks = new AtomicLong();
        var thread = Thread.ofPlatform().unstarted(late);
        var one = add(new EngineMember("n", settings(), new Lease.Clocks() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long wallTime() {
                var isPast = Thread.currentThread() == thread && looks.incrementAndGet() <= 2;
                return System.nanoTime() + (isPast ? settings().lease.toNanos() : 0);
            }
        }));
        one.awaitView(1);
        thread.start();
        assertThatThrownBy(late::get).hasCauseInstanceOf(NotServedException.class);
        assertThat(looks).hasValue(3);
        assertThat(one.views).isEmpty();
        assertThat(one.engine.serves()).isTrue();
    }

    /** The clock of a frozen process goes on, and nothing it does is served before it has noticed. */
    @Promise("92.1")
    @Test
    void aNodeWhoseClockSaysSoServesNothing() throws Exception {
        var ahead = new AtomicLong();
        var member = add(new EngineMember("n", settings(), clocks(ahead)));
        member.awaitView(1);
        member.ended = new CompletableFuture<>(); // until then it does not come back
        ahead.set(settings().lease.toNanos());
        assertThatThrownBy(() -> member.engine.get("t", "k")).isInstanceOf(NotServedException.class);
        member.awaitSilence();
        member.ended.complete(null);
        member.awaitView(1);
        assertThat(member.engine.get("t", "k")).isNull();
    }

    /** Such as one with a handler that does not end. Nobody waits for it, or has to go because it does not hear it. */
    @Promise("92.1")
    @Test
    void aNodeThatStaysSilentIsLost() throws Exception {
        var ahead = new AtomicLong();
        var silent = add(new EngineMember("silent", shortLease(), clocks(ahead)));
        silent.ended = new CompletableFuture<>();
        ahead.set(shortLease().lease.toNanos());
        silent.awaitSilence();
        var other = add(new EngineMember("other", shortLease()));
        View view;
        do {
            view = other.views.take().getKey();
            assertThat(view.majority()).isTrue();
        } while (view.members().size() > 1);
        silent.ended.complete(null);
        silent.awaitView(2);
        other.awaitView(2);
    }

    /** A node may know changes that a copy of the database, which was promoted, does not have. */
    @Promise("92.6")
    @Test
    void aDatabaseThatHasLostChangesIsNoticed() throws Exception {
        var two = start(2, shortLease());
        assertThat(two.get(0).compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(two.get(0).compareAndSet("t", "k", bytes("1"), bytes("2"))).isEqualTo(Outcome.DONE);
        two.get(1).awaitEntry("t/k=2");
        while (number("SELECT min(seen) FROM fibry_cluster_nodes") < 2) {
            Thread.yield(); // until each has told that it has read both changes
        }
        two.forEach(each -> each.views.clear());
        var begin = System.nanoTime();
        update("UPDATE fibry_cluster_states SET version = version - 1",
                "UPDATE fibry_cluster_entries SET version = version - 1, value = NULL WHERE key = 'k'");
        for (var each : two) {
            each.awaitSilence();
            each.awaitService();
            assertThat(each.engine.get("t", "k")).isNull();
        }
        while (two.get(0).compareAndSet("t", "k", null, bytes("3")) != Outcome.DONE) {
            Thread.yield();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("nothing is changed for a lease")
                .isGreaterThan(shortLease().lease);
    }

    /** Both reach the database, and one of them has to go; it comes back when it reaches the other one. */
    @Promise("92.4")
    @Test
    void oneOfTwoNodesThatDoNotHearEachOtherHasToGo() throws Exception {
        var two = start(2);
        two.forEach(each -> each.views.clear());
        var isOlder = two.get(0).seen().getFirst().equals(two.get(0).id());
        var older = two.get(isOlder ? 0 : 1);
        var younger = two.get(isOlder ? 1 : 0);
        younger.ended = new CompletableFuture<>();
        update("UPDATE fibry_cluster_nodes SET state = 3 WHERE address LIKE '%:" + younger.engine.port()
                + "'");
        younger.awaitSilence();
        // It is a member until it has said that all has ended, or until its lease is over.
        assertThat(older.seen()).hasSize(2);
        younger.ended.complete(null);
        younger.awaitView(2);
        // The older one may have missed the view without the younger one, which comes back at once.
        while (older.engine.view().number() < younger.engine.view().number()) {
            Thread.yield();
        }
        assertThat(older.seen()).containsExactly(older.id(), younger.id());
    }

    /** Nobody else is there to find it lost. */
    @Promise("92.4")
    @Test
    void aNodeThatHadToGoComesBackIfTheOtherOneIsLost() throws Exception {
        var nowhere = new MachineId(""); // so no death is proven
        var accused = add(new EngineMember("accused", shortLease(), Lease.Clocks.SYSTEM, nowhere));
        var other = add(new EngineMember("other", shortLease(), Lease.Clocks.SYSTEM, nowhere));
        accused.ended = new CompletableFuture<>();
        update("UPDATE fibry_cluster_nodes SET state = 3 WHERE address LIKE '%:" + accused.engine.port()
                + "'");
        accused.awaitSilence();
        other.engine.close();
        accused.ended.complete(null);
        accused.awaitView(1);
    }

    @Promise("84.4")
    @Test
    void whatIsNoNodeIsClosedAndCounted() throws Exception {
        var one = start(1, shortLease()).getFirst();
        var counted = one.engine.notUnderstood().count();
        for (var bytes : List.of(
                "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                Greeting.of(Greeting.TALK, UUID.randomUUID(), one.id()).array())) {
            try (var socket = new Socket("127.0.0.1", one.engine.port())) {
                OutputStream out = socket.getOutputStream();
                out.write(bytes);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            counted++;
            while (one.engine.notUnderstood().count() < counted) {
                Thread.onSpinWait();
            }
        }
        try (var probe = new Socket("127.0.0.1", one.engine.port())) { // says nothing, and is not counted
            probe.shutdownOutput();
            assertThat(probe.getInputStream().read()).isEqualTo(-1);
        }
        // Whoever asks for another node learns nothing of this one.
        try (var socket = new Socket("127.0.0.1", one.engine.port())) {
            socket.getOutputStream()
                    .write(Greeting.of(Greeting.ASK, UUID.randomUUID(), UUID.randomUUID()).array());
            assertThat(socket.getInputStream().readAllBytes()).containsExactly(0);
        }
        assertThat(one.engine.notUnderstood().count()).isEqualTo(counted);
        assertThat(one.engine.view().majority()).isTrue();
    }

    @Test
    void aFloodOfStrangersLeavesTheNodesAlone() throws Exception {
        var two = start(2);
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 200; i++) {
                sockets.add(new Socket("127.0.0.1", two.get(0).engine.port()));
            }
            for (int i = 0; i < 100; i++) {
                var message = "m" + i;
                do { // what cannot be written while the others are accepted is lost, and sent again
                    assertThat(two.get(1).send(two.get(0), message)).isTrue();
                } while (!message.equals(two.get(0).messages.poll(1, TimeUnit.SECONDS)));
            }
        } finally {
            for (var each : sockets) {
                each.close();
            }
        }
    }

    @Test
    void removedEntriesAreForgottenWhenAllHaveReadThem() throws Exception {
        var two = start(2);
        assertThat(two.get(0).compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(two.get(0).compareAndSet("t", "k", bytes("1"), null)).isEqualTo(Outcome.DONE);
        long left;
        do {
            var joins = new EngineMember("joins", settings());
            joins.start();
            joins.engine.leave(Duration.ofSeconds(10));
            left = number("SELECT count(*) FROM fibry_cluster_entries WHERE value IS NULL");
        } while (left > 0);
        assertThat(two.get(1).engine.all("t")).isEmpty();
        assertThat(two).allMatch(each -> each.engine.copies.size() == 0);
        assertThat(two.get(1).compareAndSet("t", "k", null, bytes("2"))).isEqualTo(Outcome.DONE);
    }

    /** A node that was frozen tells a change late, which the database may have lost with its server. */
    @Promise("92.6")
    @Test
    void aChangeThatAnotherServerHasTakenIsNotBelieved() throws Exception {
        var one = start(1).getFirst();
        var node = UUID.randomUUID();
        update("INSERT INTO fibry_cluster_nodes SELECT cluster, '" + node
                + "', joined + 1, beat, state, seen, '192.0.2.1:7800', 'another one', description, '', lease FROM fibry_cluster_nodes",
                "UPDATE fibry_cluster_states SET view = view + 1");
        String server;
        try (var session = settings().database.connect("fibry", Duration.ofMinutes(1))) {
            server = session.beat(node, 0, 0, Set.of()).server();
        }
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), one.engine.port())) {
            var out = new DataOutputStream(socket.getOutputStream());
            out.write(Greeting.of(Greeting.TALK, node, one.id()).array());
            for (var from : List.of("another server", server)) {
                var body = DatabaseEngine.bytes(new Entry("t", "k", bytes(from), 7), from);
                out.writeInt(body.remaining() + 1);
                out.writeByte(DatabaseEngine.ENTRY);
                out.write(body.array());
            }
            // The first one would stand in the way of the second, which is no newer.
            one.awaitEntry("t/k=" + server);
        }
    }

    /** An entry that was removed meanwhile is no change that the database has lost. */
    @Promise("92.6")
    @Test
    void whoComesBackAfterARemovalChangesSomethingAtOnce() throws Exception {
        var two = start(2);
        var lost = two.get(0);
        assertThat(lost.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        two.get(1).awaitEntry("t/k=1");
        lost.ended = new CompletableFuture<>();
        update("UPDATE fibry_cluster_nodes SET state = 2 WHERE address LIKE '%:" + lost.engine.port() + "'",
                "UPDATE fibry_cluster_states SET view = view + 1");
        lost.awaitSilence();
        assertThat(two.get(1).compareAndSet("t", "k", bytes("1"), null)).isEqualTo(Outcome.DONE);
        while (number("SELECT max(seen) FROM fibry_cluster_nodes") < 2) {
            Thread.yield();
        }
        lost.ended.complete(null);
        lost.awaitService();
        assertThat(lost.engine.get("t", "k")).isNull();
        assertThat(lost.compareAndSet("t", "x", null, bytes("2"))).isEqualTo(Outcome.DONE);
    }

    @Test
    void whatANodeHasRemovedThatIsAlwaysAloneIsForgotten() throws Exception {
        for (int i = 0; i < 2; i++) {
            var alone = add(new EngineMember("alone", settings()));
            assertThat(number("SELECT count(*) FROM fibry_cluster_entries")).isZero();
            assertThat(alone.compareAndSet("t", "k" + i, null, bytes("1"))).isEqualTo(Outcome.DONE);
            assertThat(alone.compareAndSet("t", "k" + i, bytes("1"), null)).isEqualTo(Outcome.DONE);
            assertThat(alone.engine.leave(Duration.ofMinutes(1))).isTrue();
        }
    }

    /** A later release has changed the tables so that this one can use them. */
    @Promise("92.11")
    @Test
    void tablesOfALaterVersionThatKnowThisOneAreUsed() throws Exception {
        start(1).getFirst().engine.close();
        update("UPDATE fibry_cluster_schema SET version = 2, oldest = 1");
        var old = add(new EngineMember("old", settings()));
        assertThat(old.seen()).contains(old.id());
    }

    @Promise("92.11")
    @Test
    void tablesOfAnotherVersionAreRefused() throws Exception {
        start(1).getFirst().engine.close();
        update("UPDATE fibry_cluster_schema SET version = 77, oldest = 76");
        var late = new EngineMember("late", settings());
        assertThatThrownBy(() -> late.engine.start(late.info, late)).isInstanceOf(SQLException.class)
                .hasMessageContaining("version 77")
                .hasMessageContaining("know version 76 or a later one")
                .hasMessageContaining("this release knows version 1;");
    }

    @Test
    void severalClustersHaveOneDatabase() throws Exception {
        var one = start(1).getFirst();
        var other = add(new EngineMember("other", settings().cluster("another")));
        assertThat(other.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(one.compareAndSet("t", "k", null, bytes("2"))).isEqualTo(Outcome.DONE);
        assertThat(other.engine.get("t", "k")).isEqualTo(bytes("1"));
        assertThat(other.seen()).containsExactly(other.id());
        assertThat(one.seen()).containsExactly(one.id());
    }

    /** It fails by itself; the others have never seen it. */
    @Promise("83.3")
    @Test
    void aNodeThatOthersCouldNotReachDoesNotJoin() throws Exception {
        var one = start(1).getFirst();
        // Of the second place a refusal says nothing: it is one of this machine.
        for (var place : List.of("192.0.2.1:7800", "127.0.0.1:1")) {
            update("UPDATE fibry_cluster_nodes SET machine = 'another one', address = '" + place + "'");
            var late = new EngineMember("late", settings());
            assertThatThrownBy(() -> late.engine.start(late.info, late)).hasMessageContaining(place)
                    .hasMessageContaining("FIBRY_HOST");
            assertThat(one.seen()).containsExactly(one.id());
            assertThat(number("SELECT view FROM fibry_cluster_states")).as("nobody was removed").isEqualTo(1);
        }
    }

    /** Its row is that of a member, as are those of all that were killed, and there is nobody who could remove it. */
    @Promise("92.3")
    @Test
    void aNodeThatHasDiedElsewhereIsNoObstacle() throws Exception {
        start(1, shortLease()).getFirst().engine.close();
        for (var place : List.of("127.0.0.1:7800", "192.0.2.1:7800", "192.0.2.1:7800 sha256=00")) {
            update("UPDATE fibry_cluster_nodes SET state = 0, lease = 1000000000, machine = 'of the boot before', address = '"
                    + place + "'");
            var next = add(new EngineMember("next", shortLease()));
            assertThat(next.seen()).as(place).containsExactly(next.id());
            assertThat(next.engine.leave(Duration.ofMinutes(1))).isTrue();
            update("DELETE FROM fibry_cluster_nodes WHERE node = '" + next.id() + "'");
        }
    }

    @Test
    void aStartThatWaitsForOthersCanBeInterrupted() throws Exception {
        start(1).getFirst().engine.close();
        update("UPDATE fibry_cluster_nodes SET state = 0, machine = 'of the boot before', lease = 600000000000");
        var next = new EngineMember("next", settings());
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> next.engine.start(next.info, next)).isInstanceOf(InterruptedException.class);
        assertThat(number("SELECT count(*) FROM fibry_cluster_nodes")).isEqualTo(1);
    }

    /** Such as one with another number of slices. */
    @Promise("83.3")
    @Test
    void aNodeJoinsBesideNoneThatIsUnlikeIt() throws Exception {
        var one = start(1).getFirst();
        var late = new EngineMember("late", settings());
        late.unlike = "n0";
        assertThatThrownBy(() -> late.engine.start(late.info, late)).hasMessage("unlike n0");
        assertThat(one.engine.view().number()).as("the others have seen nothing of it").isEqualTo(1);
        one.engine.close();
        var next = new EngineMember("next", settings());
        next.unlike = "n0";
        add(next);
        assertThat(next.seen()).containsExactly(next.id());
    }

    /** It was lost when one joined that could not have joined beside it. */
    @Promise("83.3")
    @Test
    void aNodeComesBackToNoneThatIsUnlikeIt() throws Exception {
        var lost = start(1, shortLease()).getFirst();
        lost.ended = new CompletableFuture<>();
        update("UPDATE fibry_cluster_nodes SET state = 2", "UPDATE fibry_cluster_states SET view = view + 1");
        lost.awaitSilence();
        var other = add(new EngineMember("other", shortLease()));
        lost.unlike = "other";
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(Membership.class);
        lines.start();
        logger.addAppender(lines);
        try {
            lost.ended.complete(null);
            while (lost.refusals.get() < 3) {
                assertThat(lost.views).as("it stays away").isEmpty();
                Thread.yield();
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("unlike"))
                .singleElement().asString().contains("stays away").endsWith("unlike other");
        assertThat(other.engine.leave(Duration.ofMinutes(1))).isTrue();
        lost.awaitView(1);
    }

    /** As on systems that do not tell where a process is. */
    @Test
    void nodesThatDoNotKnowTheirPlaceJoin() throws Exception {
        var one = start(1).getFirst();
        var two = add(new EngineMember("two", settings(), Lease.Clocks.SYSTEM, new MachineId("")));
        var three = add(new EngineMember("three", settings(), Lease.Clocks.SYSTEM, new MachineId("")));
        assertThat(three.seen()).containsExactly(one.id(), two.id(), three.id());
    }

    /** The others could wait for it longer than it serves, and must not wait for less. */
    @Promise("92.1")
    @Test
    void aNodeIsLostWhenItsOwnLeaseIsOver() throws Exception {
        var one = start(1, shortLease()).getFirst();
        update("INSERT INTO fibry_cluster_nodes SELECT cluster, '" + UUID.randomUUID()
                + "', joined + 1, beat, state, seen, '192.0.2.1:7800', 'another one', description, '', 8000000000 FROM fibry_cluster_nodes",
                "UPDATE fibry_cluster_states SET view = view + 1");
        one.awaitView(2);
        var begin = System.nanoTime();
        one.awaitView(1);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(6));
    }

    /** It comes back at once, and not when it is accused again and again, since nobody reaches what it is given then. */
    @Promise("92.4")
    @Test
    void aNodeThatHasToGoAgainStaysAway() throws Exception {
        var two = start(2, shortLease());
        var accused = two.get(0);
        for (int i = 0; i < 2; i++) {
            var begin = System.nanoTime();
            update("UPDATE fibry_cluster_nodes SET state = 3 WHERE address LIKE '%:" + accused.engine.port()
                    + "'");
            accused.awaitSilence();
            accused.awaitService();
            if (i > 0) {
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(shortLease().lease);
            }
        }
    }

    @Test
    void whatIsLeftOfLeases() throws Exception {
        var two = start(2);
        Map<UUID, Duration> leases;
        do {
            leases = two.get(0).engine.leases();
        } while (leases.size() < 2);
        var lease = settings().lease;
        assertThat(leases).containsOnlyKeys(two.get(0).id(), two.get(1).id());
        assertThat(leases.get(two.get(0).id())).as("a node does not serve as long as others wait for it")
                .isBetween(Duration.ZERO, lease.minus(lease.dividedBy(6)));
        assertThat(leases.get(two.get(1).id())).isBetween(Duration.ZERO, lease);
        two.get(0).engine.close();
        assertThat(two.get(0).engine.leases()).isEmpty();
    }

    /** Others look at the port when they miss a link, and once. */
    @Promise("92.1")
    @Test
    void thePortOfANodeIsClosedBeforeItsLinks() throws Exception {
        for (int i = 0; i < 40; i++) {
            var one = add(new EngineMember("n" + i, settings()));
            var port = one.engine.port();
            try (var link = new Socket(InetAddress.getLoopbackAddress(), port)) {
                link.getOutputStream().write(0);
                var closing =
                        CompletableFuture.runAsync(one.engine::close, task -> Thread.ofVirtual().start(task));
                assertThat(endOf(link)).isTrue();
                assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                        .isInstanceOf(ConnectException.class);
                closing.get();
            }
        }
    }

    /** Waits for the end of a connection, or its reset. */
    private static boolean endOf(Socket link) throws IOException {
        try {
            return link.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** The close comes when the node has joined in the database and has not yet told it. */
    @Promise("92.8")
    @Test
    void aNodeThatIsClosedWhileItJoinsAgainServesNothing() throws Exception {
        var one = start(1).getFirst();
        assertThat(one.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        var joins = new CountDownLatch(1);
        one.whenEntryIsTold = () -> {
            joins.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException isClosed) { // the close goes on, and waits for this thread
            }
        };
        update("DELETE FROM fibry_cluster_nodes"); // so it is lost and joins again, which tells all entries
        joins.await();
        one.engine.close();
        assertThat(one.engine.serves()).isFalse();
        assertThat(one.engine.view().majority()).isFalse();
        assertThat(one.engine.leases()).isEmpty();
    }

    /** Whatever a listener throws, the thread that keeps the lease goes on, and tells again what was not heard. */
    @Promise("92.3")
    @LogsErrors
    @Test
    void aListenerThatThrowsCostsNoNodeItsLease() throws Exception {
        var one = start(1).getFirst();
        assertThat(one.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        one.views.clear();
        one.whenEntryIsTold = once(one);
        update("UPDATE fibry_cluster_states SET version = version + 1",
                "UPDATE fibry_cluster_entries SET version = version + 1");
        one.awaitSilence();
        one.awaitService();
        assertThat(one.engine.get("t", "k")).isEqualTo(bytes("1"));
    }

    private static Runnable once(EngineMember member) {
        return () -> {
            member.whenEntryIsTold = () -> {
            };
            throw new AssertionError("of the listener, as the test wants it");
        };
    }

    @Promise("92.2")
    @LogsErrors
    @Test
    void anEndOfAPeriodThatWasNotHeardIsToldAgain() throws Exception {
        var one = start(1).getFirst();
        var tries = new AtomicLong();
        one.ended = new CompletableFuture<>();
        one.whenViewIsTold = view -> {
            if (!view.majority() && tries.incrementAndGet() == 1) {
                throw new AssertionError("of the listener, as the test wants it");
            }
        };
        one.views.clear();
        update("DELETE FROM fibry_cluster_nodes");
        var next = one.views.take().getKey();
        assertThat(next.majority()).as("it does not join while what it has served goes on").isFalse();
        one.ended.complete(null);
        one.awaitService();
    }

    @Test
    void wrongUseIsRefused() {
        var engine = new DatabaseEngine(settings());
        assertThatThrownBy(() -> engine.get("t", "k")).isInstanceOf(NotServedException.class)
                .hasMessageContaining("not started");
        assertThat(engine.view().majority()).isFalse();
        engine.close();
        engine.close();
        assertThatThrownBy(() -> engine.start(new NodeInfo(UUID.randomUUID(), new byte[0]),
                new EngineMember("x", settings())))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> EngineMember.compareAndSet(engine, "t", "k", null, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(engine.leave(Duration.ofSeconds(1))).isFalse();
    }
}
