package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Actors ask those before them only, so their asks alone close no cycle, while code holds some of them in any order, and tries
 * again when it has given way: no ask fails, and all of the code runs.
 */
final class HeldAsks implements Scenario {
    private static final int ACTORS = 3;
    private static final Duration LONG = Duration.ofDays(1);

    @Override
    public String name() {
        return "held-asks";
    }

    @Override
    public List<String> sometimes() {
        return List.of("gave way", "answered", "held all");
    }

    @Override
    public void play(Play play) {
        var scope = ActorSystem.configure("asks").listener(event -> {
        }).time(play.schedule.time()).strategy(play.elsewhere()).open();
        var actors = new ArrayList<Actor<Integer, Integer>>();
        for (int i = 0; i < ACTORS; i++) {
            var mine = i;
            actors.add(scope.anonymous().newActorWithReturn((Integer depth) -> {
                play.pause();
                return mine == 0 || depth == 0 ? 0
                        : actors.get(play.random.nextInt(mine)).sendMessageReturnWait(depth - 1);
            }));
        }
        var done = new int[1];
        for (int i = 0; i < 2; i++) {
            play.spawn("holder" + i, () -> {
                var some = new ArrayList<>(actors);
                Collections.shuffle(some, play.random);
                holdAll(play, some.subList(0, 1 + play.upTo(2)));
                done[0]++;
            });
            play.spawn("asker" + i, () -> {
                for (int n = 0; n < 2; n++) {
                    play.pause();
                    try {
                        actors.get(play.random.nextInt(ACTORS)).sendMessageReturnWait(2);
                        play.saw("answered");
                    } catch (ExecutionException e) {
                        play.check(false, "an ask has failed: " + e.getCause());
                    }
                }
                done[0]++;
            });
        }
        play.ledger.atTheEnd(() -> play.check(done[0] == 4, "only " + done[0] + " of 4 came to their end"));
        play.schedule.run();
        play.spawn("banker", () -> {
            actors.forEach(Actor::close);
            scope.close();
        });
    }

    private static void holdAll(Play play, List<Actor<Integer, Integer>> actors) throws Exception {
        var runs = new int[1];
        while (runs[0] == 0) {
            try {
                hold(play, actors, 0, runs);
                play.saw("held all");
            } catch (AskCycleException e) {
                play.saw("gave way");
            } catch (ExecutionException e) {
                play.check(isCycle(e), "not held: " + e.getCause());
                play.saw("gave way");
            }
        }
        play.check(runs[0] == 1, "the code ran " + runs[0] + " times");
    }

    private static Object hold(Play play, List<Actor<Integer, Integer>> actors, int next, int[] runs)
            throws Exception {
        if (next == actors.size()) {
            play.pause();
            return runs[0]++;
        }
        return actors.get(next).hold(() -> hold(play, actors, next + 1, runs), LONG);
    }

    private static boolean isCycle(Throwable failed) {
        return failed instanceof AskCycleException
                || (failed instanceof ExecutionException && isCycle(failed.getCause()));
    }
}
