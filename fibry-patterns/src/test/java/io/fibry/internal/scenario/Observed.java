package io.fibry.internal.scenario;

import io.fibry.ActorSystem;
import io.fibry.internal.memory.Interleave;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.ObserverOptions;
import io.fibry.topic.Subscription;
import io.fibry.topic.TopicProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** Threads change a value by compare-and-set and by update, while observers come, with all changes or the latest ones. */
final class Observed implements Scenario {
    private static final int SETTERS = 2;
    private static final int CHANGES = 3;
    private static final int OBSERVERS = 2;

    @Override
    public String name() {
        return "observed";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a change came between", "changes were coalesced", "all changes were seen");
    }

    @Override
    public void play(Play play) {
        TopicProbe.marks(Interleave::here);
        var scope = ActorSystem.configure("values").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        var value = ObservableValue.open(scope, "sum", 0);
        var gone = new Semaphore(0);
        Queue<Subscription> subscriptions = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < SETTERS; i++) {
            play.spawn("setter" + i, () -> {
                for (int n = 0; n < CHANGES; n++) {
                    increment(play, value);
                }
                gone.release();
            });
        }
        for (int i = 0; i < OBSERVERS; i++) {
            play.spawn("observer" + i, () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    play.pause();
                }
                subscriptions.add(observe(play, value));
                gone.release();
            });
        }
        play.spawn("last", () -> {
            gone.acquire(SETTERS + OBSERVERS);
            scope.close();
            play.check(value.get() == SETTERS * CHANGES, "the sum is " + value.get());
            play.check(value.observers() == 0, "observers of a closed value: " + value.observers());
            for (var subscription : subscriptions) {
                play.check(!subscription.isActive(), "a subscription to a closed value: " + subscription);
            }
        });
    }

    private static void increment(Play play, ObservableValue<Integer> value) {
        play.pause();
        if (play.chance(50)) {
            value.update(before -> {
                play.pause();
                return before + 1;
            });
            return;
        }
        var before = value.get();
        while (!value.compareAndSet(before, before + 1)) {
            play.saw("a change came between");
            before = value.get();
        }
    }

    private static Subscription observe(Play play, ObservableValue<Integer> value) {
        var latestOnly = play.chance(50);
        var options = ObserverOptions.defaults().withCurrent();
        List<Integer> seen = new ArrayList<>();
        var subscription = value.subscribe(latestOnly ? options.coalescing() : options, next -> {
            play.pause();
            seen.add(next);
        });
        play.ledger.atTheEnd(() -> {
            play.check(!seen.isEmpty() && seen.getLast() == SETTERS * CHANGES,
                    "the last is missing: " + seen);
            for (int i = 1; i < seen.size(); i++) {
                int step = seen.get(i) - seen.get(i - 1);
                play.check(latestOnly ? step > 0 : step == 1, "out of order: " + seen);
            }
            var counters = subscription.counters();
            play.check(counters.handled() == seen.size(), seen + ", but " + counters);
            play.saw(counters.dropped() > 0 ? "changes were coalesced" : "no change was coalesced");
            if (seen.size() == SETTERS * CHANGES + 1) {
                play.saw("all changes were seen");
            }
        });
        return subscription;
    }
}
