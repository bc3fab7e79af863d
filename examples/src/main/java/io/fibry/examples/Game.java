package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.examples.GameWorld.Kind;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.examples.frame.Page;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * A meadow with rabbits and foxes. Each of them is an actor.
 *
 * <p>Look at {@code live}: a whole life is one piece of straight-line code, which waits for messages. A rabbit that is
 * eaten, or that falls into a hole, <i>fails</i>: it throws. This does no harm to the others, and its policy restarts
 * it after a pause, in which it holds no thread.
 */
public final class Game implements AutoCloseable {
    private static final double HOLES = 0.002; // the fraction of steps that end in a hole
    private static final Duration GROWTH = Duration.ofMillis(700);
    private static final long REFRESH_MILLIS = 100;

    /** The message that a being receives. */
    private record Eaten(String by) {
    }

    private final ActorScope scope = ActorSystem.configure("meadow").listener(event -> {
    }).open();
    private final GameWorld world = new GameWorld(42);
    /** Only code that runs inside this actor touches the world. */
    private final Actor<Object, Void> meadow = Stereotypes.with(scope.named("meadow")).sink(null);
    private final ActorScope beings;
    private final Duration pace;

    private Game(int rabbits, int foxes, Duration pace) {
        this.pace = pace;
        var again = FailurePolicy.restart(Integer.MAX_VALUE, Duration.ofMinutes(1))
                .withBackoff(pace.multipliedBy(12), pace.multipliedBy(12), 0.5);
        beings = scope.child("beings").onFailure(again).open();
        for (int i = 0; i < rabbits; i++) {
            come("rabbit-" + i, Kind.RABBIT);
        }
        for (int i = 0; i < foxes; i++) {
            come("fox-" + i, Kind.FOX);
        }
        var water = scope.named("water").newActor((ActorContext<String, Void> me, String drop) -> {
            meadow.execAsync(world::grow);
            me.timers().once("next", GROWTH, drop);
        });
        water.sendMessage("drop");
    }

    static Game start(int rabbits, int foxes, Duration pace) {
        return new Game(rabbits, foxes, pace);
    }

    private void come(String name, Kind kind) {
        beings.named(name).newReceivingActor((ReceivingContext<Eaten> me) -> live(name, kind, me));
    }

    /** Runs a life. After a failure it starts here again. */
    private void live(String name, Kind kind, ReceivingContext<Eaten> me) throws Exception {
        var random = ThreadLocalRandom.current();
        meadow.execAsync(() -> world.enter(name, kind));
        while (true) {
            var rest = pace.plus(pace.multipliedBy(random.nextInt(100)).dividedBy(100));
            var end = me.receive(anything -> true, rest);
            if (end.isPresent()) {
                throw new IllegalStateException("eaten by " + end.get().by());
            }
            if (kind == Kind.RABBIT && random.nextDouble() < HOLES && ask(() -> world.fall(name))) {
                throw new IllegalStateException("fell into a hole");
            }
            var way = ask(() -> world.look(name));
            var prey = ask(() -> world.step(name, way));
            prey.flatMap(rabbit -> beings.find(ActorName.<Eaten, Void>of(rabbit)))
                    .ifPresent(rabbit -> rabbit.sendMessage(new Eaten(name)));
        }
    }

    private <T> T ask(Callable<T> question) throws InterruptedException, ExecutionException {
        return meadow.execFuture(question).get(); // waits, and holds no thread meanwhile
    }

    /** Reads the world, in turn with the code that changes it. */
    <T> T see(Function<GameWorld, T> look) throws InterruptedException, ExecutionException {
        return ask(() -> look.apply(world));
    }

    Server page(int port) {
        var html = Page.of(Game.class, "game.html");
        try {
            return Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(port), HttpRoutes.none()
                    .get("/", call -> HttpAnswer.html(html))
                    .get("/live", call -> HttpAnswer.events(events -> {
                        while (true) { // until the client goes, or the server stops
                            events.send(see(GameWorld::json));
                            Thread.sleep(REFRESH_MILLIS);
                        }
                    })));
        } catch (UncheckedIOException portIsTaken) {
            close();
            throw portIsTaken;
        }
    }

    @Override
    public void close() {
        scope.stop(Duration.ofSeconds(1)); // the beings stop first, since they are in the inner scope
    }

    /**
     * Runs the game until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args, Option.port(8080),
                new Option("--rabbits", "120", "how many rabbits"),
                new Option("--foxes", "8", "how many foxes"),
                new Option("--pace", "180", "milliseconds a step takes"));
        var game = start(options.number("--rabbits", 0, 5_000), options.number("--foxes", 0, 500),
                Duration.ofMillis(options.number("--pace", 1, 10_000)));
        var page = game.page(options.port());
        System.out.printf("the meadow is at http://127.0.0.1:%d/%n", page.port());
        CtrlC.closes(page, game);
    }
}
