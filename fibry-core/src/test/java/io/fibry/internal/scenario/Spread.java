package io.fibry.internal.scenario;

import io.fibry.CreationStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A tree of actors on lanes: each handler sends to several idle ones, more than its lane's slot has room for. Some then
 * wait, by means that the engine does not know, until one of those has begun; some leaves, until a sibling has.
 */
final class Spread implements Scenario {
    private static final int BRANCHES = 4;

    @Override
    public String name() {
        return "spread";
    }

    @Override
    public List<String> sometimes() {
        return List.of("begun while another waits for it", "begun by its sender's thread", "begun elsewhere");
    }

    /** One play. */
    private static final class Tree {
        final Play play;
        final CreationStrategy lanes;
        final Map<Msg, CompletableFuture<@Nullable Void>> begun = new HashMap<>();
        final Map<Msg, Batch> batches = new HashMap<>();

        Tree(Play play) {
            this.play = play;
            lanes = play.lanes(play::pause);
        }

        void isSent(Msg message, Batch batch) {
            batches.put(message, batch);
        }

        void begins(Msg message) {
            begun(message).complete(null);
            var batch = batches.get(message);
            if (batch != null) {
                play.saw(batch.sender == Thread.currentThread() ? "begun by its sender's thread"
                        : "begun elsewhere");
            }
        }

        List<Msg> siblings(Msg message) {
            return Objects.requireNonNull(batches.get(message)).messages;
        }

        private CompletableFuture<@Nullable Void> begun(Msg message) {
            return begun.computeIfAbsent(message, key -> new CompletableFuture<>());
        }

        /** Waits until it has begun, wherever it is. The last but one is what has made room last. */
        void awaitOneOf(List<Msg> messages) throws Exception {
            var last = messages.size() - 1;
            var awaited = begun(messages.get(play.chance(50) ? last - 1 : play.random.nextInt(last + 1)));
            if (!awaited.isDone()) {
                awaited.thenRun(() -> play.saw("begun while another waits for it"));
                awaited.get();
            }
        }
    }

    /** What one handler has sent, one message to each child. */
    private record Batch(Thread sender, List<Msg> messages) {
    }

    @Override
    public void play(Play play) {
        var tree = new Tree(play);
        for (int i = 0; i < 2; i++) {
            play.sender("root" + i, 2, member(tree, "branch" + i, play.upTo(2)));
        }
        play.clock(3);
    }

    private static Subject member(Tree tree, String name, int depth) {
        var play = tree.play;
        var children = new ArrayList<Subject>();
        for (int i = 0; i < (depth == 0 ? 0 : BRANCHES); i++) {
            children.add(member(tree, name + "." + i, depth - 1));
        }
        var numbers = new int[1];
        return new Subject(play).make(play.anonymous().strategy(tree.lanes), (context, message) -> {
            tree.begins(message);
            var messages = new ArrayList<Msg>();
            for (int i = 0; i < children.size(); i++) {
                messages.add(new Msg(name, numbers[0]++));
            }
            var batch = new Batch(Thread.currentThread(), messages);
            for (int i = 0; i < children.size(); i++) {
                tree.isSent(messages.get(i), batch);
                children.get(i).send(messages.get(i));
            }
            if (play.chance(70)) {
                tree.awaitOneOf(children.isEmpty() ? tree.siblings(message) : messages);
            }
        });
    }
}
