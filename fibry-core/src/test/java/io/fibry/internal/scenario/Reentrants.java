package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reentrant actors, and others, ask each other inside their handlers. A handler runs inside another one only for an ask for
 * which that one waits, each message has one fate, no ask is left without an answer, and reentrant actors are in no cycle.
 * Some have small mailboxes, which refuse messages or block their senders.
 */
final class Reentrants implements Scenario {
    private static final int MOST_TIMES = 5;
    private static final int MOST_YIELDS = 3_000;

    @Override
    public String name() {
        return "reentrant";
    }

    @Override
    public List<String> sometimes() {
        return List.of("inside", "inside twice", "called by another actor", "a cycle", "cancelled",
                "too late", "waited too long", "failed",
                "failed inside", "gone", "forced", "own ask", "full", "inside with a full mailbox",
                "a sender got in");
    }

    private static final class Note {
        final int hops;
        final @Nullable Peer asker;
        /** Whether a thread waits for the answer. */
        final boolean isAsk;
        int handled;

        Note(int hops, @Nullable Peer asker, boolean isAsk) {
            this.hops = hops;
            this.asker = asker;
            this.isAsk = isAsk;
        }
    }

    /** A handler that has begun and has not ended. */
    private static final class Frame {
        final Thread thread = Thread.currentThread();
        /** What it waits for. */
        @Nullable Edge edge;
    }

    /** A wait of a handler, from one time to another. */
    private static final class Edge {
        final Peer from;
        final Peer to;
        final int begin;
        int end = Integer.MAX_VALUE;

        Edge(Peer from, Peer to, int begin) {
            this.from = from;
            this.to = to;
            this.begin = begin;
        }
    }

    private static final class Peer {
        final String name;
        final boolean reentrant;
        final Deque<Frame> frames = new ArrayDeque<>();
        Actor<Note, Integer> actor;
        int sent;

        Peer(String name, boolean reentrant) {
            this.name = name;
            this.reentrant = reentrant;
        }
    }

    /** What one play does. */
    private static final class Plan {
        final List<Peer> peers = new ArrayList<>();
        final List<CompletableFuture<Integer>> asks = new ArrayList<>();
        final List<Edge> edges = new ArrayList<>();
        int now;
        final boolean allReentrant;
        /** Whether no wait ends before its answer is there. */
        final boolean isStrict;
        /** Whether a full mailbox blocks its senders. */
        final boolean blocks;
        final boolean isBounded;

        Plan(Play play) {
            allReentrant = play.chance(50);
            isStrict = play.chance(60);
            isBounded = play.chance(50);
            blocks = isBounded && play.chance(50);
        }

        ActorBuilder mailbox(Play play, ActorBuilder builder) {
            return !isBounded ? builder : builder.mailbox(MailboxPolicy.bounded(play.upTo(2),
                    blocks ? OverflowPolicy.block() : OverflowPolicy.reject()));
        }

        /**
         * Returns whether waits lead from an actor to another one that were there after some time. Two actors of a cycle may
         * handle an ask at the same time, so a wait that was on the way may be over.
         */
        boolean leadsTo(Peer from, @Nullable Peer to, int since, int steps) {
            return from == to || (steps > 0 && edges.stream()
                    .anyMatch(edge -> edge.from == from && edge.end > since
                            && leadsTo(edge.to, to, since, steps - 1)));
        }
    }

    @Override
    public void play(Play play) {
        var plan = new Plan(play);
        var scope = ActorScope.configure("ring").listener(event -> {
        }).time(play.schedule.time()).strategy(play.elsewhere()).open();
        var count = 1 + play.upTo(3);
        for (int i = 0; i < count; i++) {
            var peer = new Peer("peer" + i, plan.allReentrant || play.chance(60));
            plan.peers.add(peer);
            var builder = plan.mailbox(play, scope.named(peer.name)).strategy(play.elsewhere())
                    .onFailure(play.chance(50) ? FailurePolicy.resume() : FailurePolicy.restart());
            peer.actor = (peer.reentrant ? builder.reentrant() : builder)
                    .newActorWithReturn((Note note) -> handle(play, plan, peer, note));
        }
        for (int t = 0; t < 3; t++) {
            play.spawn("asker" + t, () -> {
                play.pause();
                var peer = plan.peers.get(play.random.nextInt(count));
                ask(plan, peer, new Note(play.upTo(4), null, true), false);
            });
        }
        play.spawn("sender", () -> {
            for (int i = 0; i < 3; i++) {
                play.pause();
                tell(plan, plan.peers.get(play.random.nextInt(count)),
                        new Note(play.random.nextInt(3), null, false));
            }
        });
        if (play.chance(20)) {
            blockAtGate(play, scope);
        }
        if (!plan.isStrict) {
            spoil(play, plan, count);
            play.clock(2);
        }
        play.schedule.run();
        plan.asks.forEach(each -> play.check(each.isDone(), "no answer: " + each));
        play.ledger.atTheEnd(() -> {
            for (var peer : plan.peers) {
                var counters = peer.actor.counters();
                play.check(peer.actor.state() == ActorState.STOPPED, peer.name + " is " + peer.actor.state());
                play.check(counters.total() == peer.sent,
                        peer.name + " was sent " + peer.sent + ", counts " + counters);
                play.check(peer.frames.isEmpty(), "handlers of " + peer.name + " have not ended");
            }
        });
        play.spawn("closer", () -> {
            plan.peers.forEach(each -> each.actor.close());
            scope.close();
        });
    }

    /** An ask that is handled inside another handler had the only place, for which a sender waits. */
    private static void blockAtGate(Play play, ActorScope scope) {
        var helper = new AtomicReference<Actor<Runnable, Integer>>();
        var isQueued = new AtomicBoolean();
        var isIn = new AtomicBoolean();
        Actor<String, Integer> gate = scope.named("gate").strategy(play.elsewhere()).reentrant()
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())).newActorWithReturn(message -> {
                    if (message.equals("outer")) {
                        return helper.get().sendMessageReturnWait(() -> {
                        });
                    }
                    for (int i = 0; i < MOST_YIELDS && message.equals("inner") && !isIn.get(); i++) {
                        Thread.yield();
                    }
                    play.check(isIn.get() || !message.equals("inner"), "the place of the ask is not free");
                    return 1;
                });
        helper.set(scope.named("helper").strategy(play.elsewhere()).newActorWithReturn(message -> {
            var answer = gate.sendMessageReturn("inner");
            isQueued.set(true);
            play.pause();
            return answer.join();
        }));
        play.spawn("gate's asker", () -> gate.sendMessage("outer"));
        play.spawn("gate's sender", () -> {
            while (!isQueued.get()) {
                Thread.yield();
            }
            isIn.set(gate.sendMessage("last"));
            play.saw("a sender got in");
        });
    }

    private static void spoil(Play play, Plan plan, int count) {
        if (play.chance(50)) {
            play.spawn("canceller", () -> {
                for (int i = 0; i < 8; i++) {
                    play.pause();
                    List.copyOf(plan.asks).stream().filter(each -> !each.isDone())
                            .reduce((first, last) -> last)
                            .ifPresent(each -> each.cancel(true));
                }
            });
        }
        if (play.chance(50)) {
            play.spawn("stopper", () -> {
                var peer = plan.peers.get(play.random.nextInt(count));
                for (int i = play.upTo(20); i > 0; i--) {
                    play.pause();
                }
                switch (play.random.nextInt(4)) {
                    case 0 -> peer.actor.askExit();
                    case 1 -> peer.actor.sendPoisonPill();
                    default -> {
                        if (!peer.frames.isEmpty()) {
                            play.saw("forced");
                        }
                        peer.actor.stop(Duration.ZERO);
                    }
                }
            });
        }
    }

    private static CompletableFuture<Integer> ask(Plan plan, Peer peer, Note note, boolean hasLimit) {
        peer.sent++;
        var answer = hasLimit ? peer.actor.sendMessageReturn(note, Play.MILLI)
                : peer.actor.sendMessageReturn(note);
        plan.asks.add(answer);
        return answer;
    }

    private static void tell(Plan plan, Peer peer, Note note) {
        peer.sent++;
        peer.actor.sendMessage(note);
    }

    private static Integer handle(Play play, Plan plan, Peer self, Note note) throws Exception {
        play.check(note.handled++ == 0, "handled twice in " + self.name);
        if (note.handled > MOST_TIMES) {
            throw new IllegalStateException("handled again and again");
        }
        var around = self.frames.peek();
        if (around != null) {
            play.saw(self.frames.size() > 1 ? "inside twice" : "inside");
            play.check(self.reentrant, self.name + " is not reentrant");
            play.check(around.thread == Thread.currentThread(), "two threads in " + self.name);
            play.check(around.edge != null, "a handler runs inside one that does not wait in " + self.name);
            play.check(note.isAsk && note.asker != null,
                    "what nobody waits for runs inside a handler of " + self.name);
            if (plan.isStrict && around.edge != null) {
                play.check(plan.leadsTo(around.edge.to, note.asker, around.edge.begin, 4),
                        "the asker is not waited for by " + self.name);
            }
            play.saw(note.asker == self ? "own ask" : "called by another actor");
            if (plan.isBounded && self.actor.mailboxSize() > 0) {
                play.saw("inside with a full mailbox");
            }
        }
        var mine = new Frame();
        self.frames.push(mine);
        try {
            play.pause();
            for (int i = note.hops > 0 ? play.upTo(2) : 0; i > 0; i--) {
                hop(play, plan, self, mine, note.hops - 1);
            }
            if (play.chance(10)) {
                play.saw(around == null ? "failed" : "failed inside");
                throw new IllegalStateException("as planned");
            }
            return note.hops;
        } finally {
            play.check(self.frames.pop() == mine, "handlers of " + self.name + " end in another order");
        }
    }

    private static void hop(Play play, Plan plan, Peer self, Frame mine, int hops)
            throws InterruptedException {
        var next = plan.peers.get(play.random.nextInt(plan.peers.size()));
        var edge = new Edge(self, next, plan.now++); // of the send as well, which may block
        plan.edges.add(edge);
        if (play.chance(20)) {
            tell(plan, next, new Note(hops, self, false));
            edge.end = plan.now++;
            return;
        }
        var answer = ask(plan, next, new Note(hops, self, true), !plan.isStrict && play.chance(30));
        mine.edge = edge;
        try {
            await(play, plan, self, answer);
        } catch (AskCycleException e) {
            refused(play, plan);
        } catch (CompletionException | ExecutionException e) {
            if (e.getCause() instanceof AskCycleException) {
                refused(play, plan);
            } else if (e.getCause() instanceof AskTimeoutException) {
                play.saw("too late");
            } else if (e.getCause() instanceof MailboxFullException) {
                play.saw("full");
            } else if (!(e.getCause() instanceof IllegalStateException)) {
                play.saw("gone");
            }
        } catch (TimeoutException e) {
            play.saw("waited too long");
        } catch (CancellationException e) {
            play.saw("cancelled");
        } finally {
            mine.edge = null;
            edge.end = plan.now++;
        }
    }

    private static void await(Play play, Plan plan, Peer self, CompletableFuture<Integer> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        // The limit of a wait is one of the real time, unless the actor is reentrant.
        switch (play.random.nextInt(plan.isStrict || !self.reentrant ? 2 : 3)) {
            case 0 -> answer.get();
            case 1 -> answer.join();
            default -> answer.get(1, TimeUnit.MILLISECONDS);
        }
    }

    private static void refused(Play play, Plan plan) {
        play.saw("a cycle");
        play.check(!plan.allReentrant || plan.blocks, "a cycle of reentrant actors");
    }
}
