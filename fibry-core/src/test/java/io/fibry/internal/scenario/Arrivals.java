package io.fibry.internal.scenario;

import io.fibry.CreationStrategy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Many that are no actors send to idle actors on lanes, some of whose handlers wait for what is sent after them: a lane
 * that takes more than one of them must not have the next wait behind one that is blocked.
 */
final class Arrivals implements Scenario {
    private static final int SENDERS = 5;
    private static final int WAITING = 2;

    @Override
    public String name() {
        return "arrivals";
    }

    @Override
    public List<String> sometimes() {
        return List.of("two actors on one thread");
    }

    @Override
    public void play(Play play) {
        var lanes = play.lanes(play::pause);
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < SENDERS; i++) {
            sender(play, lanes, "sender" + i, threads);
        }
    }

    /** Sends to actors that wait until one has begun to which it sends last. */
    private static void sender(Play play, CreationStrategy lanes, String name, Set<Thread> threads) {
        var begun = new CompletableFuture<@Nullable Void>();
        var waiting = new ArrayList<Subject>();
        for (int i = 0; i < WAITING; i++) {
            var waits = play.chance(80);
            waiting.add(subject(play, lanes, threads, () -> {
                if (waits) {
                    begun.get();
                }
            }));
        }
        var last = subject(play, lanes, threads, () -> begun.complete(null));
        play.spawn(name, () -> {
            for (int i = 0; i < WAITING; i++) {
                waiting.get(i).send(new Msg(name, i));
            }
            play.check(last.ask(new Msg(name, WAITING)).get() == WAITING, "the answer of another");
        });
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Subject subject(Play play, CreationStrategy lanes, Set<Thread> threads, Work work) {
        return new Subject(play).make(play.anonymous().strategy(lanes), (context, message) -> {
            if (!threads.add(Thread.currentThread())) {
                play.saw("two actors on one thread");
            }
            work.run();
        });
    }
}
