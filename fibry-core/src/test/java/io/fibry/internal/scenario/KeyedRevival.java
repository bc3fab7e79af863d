package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.keyed.KeyedActors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The actors of two keys stop when they are idle, or fail, and are made anew, while others send to them, or close them. */
final class KeyedRevival implements Scenario {
    private static final int KEYS = 2;

    @Override
    public String name() {
        return "keyed-revival";
    }

    @Override
    public List<String> sometimes() {
        return List.of("an actor was made again",
                "an actor failed",
                "refused: there are enough",
                "refused: they are closed",
                "an actor was stopped to make room");
    }

    @Override
    public void play(Play play) {
        new Run(play).start();
    }

    private static final class Run {
        private final Play play;
        private final boolean mayFail;
        private final boolean isBounded;
        private final boolean closesEarly;
        /** With a place for each key nothing is refused. */
        private final int limit;
        private final Map<Integer, Integer> atWork = new HashMap<>();
        private final Map<String, Integer> latest = new HashMap<>();
        private final List<Integer> made = new ArrayList<>();
        private final List<CompletableFuture<Integer>> answers = new ArrayList<>();
        private int accepted;
        private int handled;

        Run(Play play) {
            this.play = play;
            mayFail = play.chance(30);
            isBounded = !mayFail && play.chance(40);
            closesEarly = play.chance(30);
            limit = isBounded ? 1 : play.chance(50) ? KEYS : Integer.MAX_VALUE;
        }

        void start() {
            // A scope of its own: the play's ledger knows nothing of keys.
            var scope = ActorSystem.configure("keys").time(play.schedule.time()).strategy(play.strategy)
                    .listener(event -> {
                        if (event instanceof Failed) {
                            play.saw("an actor failed");
                        }
                    }).open();
            var builder = scope.anonymous();
            var keyed = (mayFail ? builder.onFailure(FailurePolicy.stop()) : builder)
                    .keyed((int[] message) -> message[1]).idle(Play.MILLI);
            var actors = (isBounded ? keyed.makeRoom() : keyed).atMost(limit)
                    .newActorsWithReturnFrom(Handler::new);
            var senders = new ArrayList<Thread>();
            for (int i = 0; i < 3; i++) {
                var sender = i;
                senders.add(play.schedule.spawn("sender" + i, () -> send(actors, sender)));
            }
            play.clock(play.upTo(6));
            play.spawn("closer", () -> {
                if (closesEarly) {
                    for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                        Thread.yield();
                    }
                    actors.close();
                }
                for (var sender : senders) {
                    sender.join();
                }
                actors.close();
                scope.close();
                check(actors);
                play.check(EngineProbe.footprint(scope) == 0, "the scope of the keys still knows something");
            });
        }

        private void send(KeyedActors<Integer, int[], Integer> actors, int sender) {
            for (int n = 0; n < 4; n++) {
                play.pause();
                var message = new int[]{sender, n % KEYS, n};
                if (play.chance(50)) {
                    if (actors.sendMessage(message)) {
                        accepted++;
                    } else {
                        play.check(isBounded || mayFail || closesEarly, "refused: " + sender + "#" + n);
                        play.saw(closesEarly ? "refused: they are closed" : "refused: there are enough");
                    }
                } else {
                    answers.add(actors.sendMessageReturn(message));
                }
                play.check(actors.live() <= limit, "too many: " + actors.live());
            }
        }

        private void check(KeyedActors<Integer, int[], Integer> actors) {
            play.check(answers.stream().allMatch(CompletableFuture::isDone), "an ask was not answered");
            var answered = answers.stream().filter(answer -> !answer.isCompletedExceptionally()).count();
            if (!mayFail && !closesEarly) {
                play.check(handled == accepted + answered,
                        accepted + " accepted and " + answered + " answered, but handled " + handled);
            }
            play.check(actors.counters().total() == 12, "12 were sent, counted " + actors.counters());
            play.check(actors.counters().handled() == handled, "handled " + handled + ", counted "
                    + actors.counters());
            play.check(actors.live() == 0, "live after the end: " + actors.live());
            play.check(actors.find(0).isEmpty() && actors.find(1).isEmpty(), "listed after the end");
            play.check(atWork.values().stream().allMatch(n -> n == 0), "a handler was not closed");
        }

        private final class Handler implements ContextReplyHandler<int[], Integer>, AutoCloseable {
            private final int key;

            Handler(int key) {
                this.key = key;
                play.check(atWork.merge(key, 1, Integer::sum) == 1, "two actors of one key");
                play.check(!isBounded || atWork.values().stream().mapToInt(n -> n).sum() == 1,
                        "more open handlers than the limit allows: " + atWork);
                if (made.contains(key)) {
                    play.saw("an actor was made again");
                }
                made.add(key);
            }

            @Override
            public Integer handle(ActorContext<int[], Integer> context, int[] message) {
                var before = latest.put(message[0] + "/" + key, message[2]);
                play.check(before == null || before < message[2], "out of order: " + message[2]);
                if (mayFail && play.chance(20)) {
                    throw new IllegalStateException("as wanted");
                }
                play.pause();
                handled++;
                return message[2];
            }

            @Override
            public void close() {
                play.pause();
                atWork.merge(key, -1, Integer::sum);
                if (isBounded && made.size() > 2) {
                    play.saw("an actor was stopped to make room");
                }
            }
        }
    }
}
