package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.AskCycleException;
import io.fibry.Recipient;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Workers of two pools and actors ask each other at random, each of them on its way to an answer. None waits for ever; and one
 * that is refused could not be served: all workers of the pool that it has asked wait, too, or all those of a pool on the way.
 */
final class PoolCycles implements Scenario {
    @Override
    public String name() {
        return "pool-cycles";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a cycle", "a cycle through a pool", "answered", "answered by a pool");
    }

    /** Pools and actors, and how many of their handlers wait. */
    private static final class Crowd {
        final Play play;
        final List<Recipient<Msg, Integer>> all = new ArrayList<>();
        /** How many workers each of them has: one if it is an actor. */
        final List<Integer> sizes = new ArrayList<>();
        /** How many handlers of each of them wait for another one. */
        final Map<Integer, Integer> waiting = new HashMap<>();

        Crowd(Play play) {
            this.play = play;
        }

        int handle(int me, Msg message) throws InterruptedException, ExecutionException {
            message.begun = true;
            play.pause();
            if (message.number > 0) {
                ask(me, new Msg("handler-" + me, message.number - 1));
            }
            message.returned++;
            return message.number;
        }

        private void ask(int me, Msg message) throws InterruptedException, ExecutionException {
            int to = play.random.nextInt(all.size());
            waiting.merge(me, 1, Integer::sum);
            try {
                play.ledger.offered.add(message);
                message.answer = all.get(to).sendMessageReturn(message);
                message.answer.get();
                play.saw(sizes.get(to) > 1 ? "answered by a pool" : "answered");
            } catch (AskCycleException e) {
                checkCycle(String.valueOf(e.getMessage()));
            } finally {
                waiting.merge(me, -1, Integer::sum);
            }
        }

        /** Checks that all workers of the pools that are said to be in a cycle wait. */
        private void checkCycle(String text) {
            int begin = text.indexOf("all workers of");
            play.saw(begin < 0 ? "a cycle" : "a cycle through a pool");
            for (int i = 0; begin >= 0 && i < all.size(); i++) {
                play.check(waiting.getOrDefault(i, 0) >= sizes.get(i)
                        || text.indexOf("'" + all.get(i).name() + "'", begin) < 0,
                        "refused, though '" + all.get(i).name() + "' has a worker that goes on: " + text);
            }
        }
    }

    @Override
    public void play(Play play) {
        var crowd = new Crowd(play);
        for (int i = 0; i < 2; i++) {
            int me = i;
            int size = play.upTo(3);
            var options = play.chance(50) ? PoolOptions.<Msg>fixed(size, 50)
                    : PoolOptions.<Msg>scaling(1, size, Duration.ofMinutes(1), 50).withGrowth(1);
            WorkerPool<Msg, Integer> pool = WorkerPool.openWithReturn(play.scope, "pool" + i, options,
                    message -> crowd.handle(me, message));
            play.ledger.alsoCountsApart(pool::counters);
            crowd.all.add(pool);
            crowd.sizes.add(size);
        }
        for (int i = 2; i < 4; i++) {
            int me = i;
            Actor<Msg, Integer> actor = play.scope.named("actor" + i).strategy(play.elsewhere())
                    .newActorWithReturn((Msg message) -> crowd.handle(me, message));
            play.ledger.alsoCounts(actor::counters);
            crowd.all.add(actor);
            crowd.sizes.add(1);
        }
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    var message = new Msg(sender, play.upTo(3));
                    play.ledger.offered.add(message);
                    var answer = crowd.all.get(play.random.nextInt(4)).sendMessageReturn(message);
                    message.answer = answer;
                    if (play.chance(50)) {
                        answer.get();
                    }
                }
            });
        }
    }
}
