package io.fibry.bench;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.util.ArrayList;

/** A program that keeps very many actors alive. */
final class ManyActors {
    /** The actors are kept in several arrays, since one array for all would need one large piece of the heap. */
    private static final int CHUNK = 1_000_000;
    private static final int ASKED = 5_000;
    private static final double MIB = 1 << 20;

    private final ActorBuilder fibers = ActorSystem.anonymous().strategy(CreationStrategy.fibers());
    private final int count;
    private final Object[][] chunks;

    private ManyActors(int count) {
        this.count = count;
        chunks = new Object[(count + CHUNK - 1) / CHUNK][];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = new Object[Math.min(CHUNK, count - i * CHUNK)];
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new ManyActors(Integer.parseInt(args[0])).run();
        Runtime.getRuntime().halt(0);
    }

    private void run() throws InterruptedException {
        var before = Heap.live();
        var start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            chunks[i / CHUNK][i % CHUNK] = fibers.newActorWithReturn((Integer n) -> n + 1);
            var made = i + 1;
            if (made % (10 * CHUNK) == 0) {
                System.out.printf("%,12d actors after %.1f s, heap in use %,.0f MiB%n", made,
                        seconds(start), Heap.used() / MIB);
            }
        }
        ChildJvm.result("seconds", seconds(start));
        System.out.println("collecting garbage");
        ChildJvm.result("bytes", (double) (Heap.live() - before) / count);
        System.out.println("asking some of them");
        ChildJvm.result("answers", askSome());
        ChildJvm.result("alive", countAlive());
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    @SuppressWarnings("unchecked") // only such actors are made above
    private Actor<Integer, Integer> actor(int i) {
        return (Actor<Integer, Integer>) chunks[i / CHUNK][i % CHUNK];
    }

    private int askSome() {
        var asked = new ArrayList<Integer>();
        for (long i = 0; i < Math.min(ASKED, count); i++) {
            asked.add((int) (i * count / Math.min(ASKED, count)));
        }
        var answers = asked.stream().map(i -> actor(i).sendMessageReturn(i)).toList();
        for (int i = 0; i < answers.size(); i++) {
            var answer = answers.get(i).join();
            if (answer != asked.get(i) + 1 || actor(asked.get(i)).counters().handled() != 1) {
                throw new AssertionError("actor " + asked.get(i) + " answered " + answer);
            }
        }
        return answers.size();
    }

    private int countAlive() {
        int alive = 0;
        for (int i = 0; i < count; i++) {
            if (actor(i).mailboxSize() == 0) {
                alive++;
            }
        }
        return alive;
    }
}
