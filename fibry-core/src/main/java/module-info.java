import org.jspecify.annotations.NullMarked;

/**
 * Fibry: actors as plain blocking Java.
 *
 * <p>An actor handles its messages one at a time, on a thread that may block. Its state needs no lock.
 *
 * <pre>{@code
 * record Order(String item, int amount) {
 * }
 *
 * try (var scope = ActorSystem.open("shop")) {
 *     var stock = scope.named("stock").of(Order.class).state(HashMap<String, Integer>::new)
 *             .newActorWithReturn((items, order) -> items.merge(order.item(), order.amount(), Integer::sum));
 *     stock.sendMessage(new Order("tea", 3));                  // does not wait
 *     System.out.println(stock.apply(new Order("tea", 4)));    // waits for the answer: 7
 * } // the actors have handled what was queued, and have stopped
 * }</pre>
 *
 * <p>{@link io.fibry.ActorScope} and {@link io.fibry.ActorSystem} give builders of actors, {@link io.fibry.Actor} shows how
 * to ask and to stop them, and {@link io.fibry.Stereotypes} makes servers, workers and other actors for frequent tasks.
 * The guide, {@code docs/guide.md} in the source repository, leads from the first actor to supervision, time and
 * servers.
 */
@NullMarked
@SuppressWarnings("module") // fibry-web and others are compiled later and may be absent
module io.fibry {
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;
    // For those who register a bean for dumps.
    requires static java.management;
    // For those who record: a JVM without Java Flight Recorder works as well.
    requires static jdk.jfr;

    uses io.fibry.measure.MeasureListener;
    uses io.fibry.net.HttpJson;
    uses org.slf4j.spi.SLF4JServiceProvider;

    exports io.fibry;
    exports io.fibry.dump;
    exports io.fibry.event;
    exports io.fibry.function;
    exports io.fibry.keyed;
    exports io.fibry.measure;
    exports io.fibry.message;
    exports io.fibry.net;
    exports io.fibry.time;
    // To other modules of this library, which are released with it. The package-info of each says why.
    exports io.fibry.internal.clock to io.fibry.cluster, io.fibry.web;
    exports io.fibry.internal.engine to io.fibry.test;
    exports io.fibry.internal.actor to io.fibry.cluster;
    exports io.fibry.internal.cycles to io.fibry.cluster;
    exports io.fibry.internal.handle to io.fibry.cluster;
    exports io.fibry.internal.keyed to io.fibry.cluster, io.fibry.durable;
    exports io.fibry.internal.log to io.fibry.web;
    exports io.fibry.internal.memory to io.fibry.cluster;
    exports io.fibry.internal.net to io.fibry.web;
    exports io.fibry.internal.run to io.fibry.web;
    exports io.fibry.internal.scope to io.fibry.cluster, io.fibry.web;
    exports io.fibry.internal.text to io.fibry.web;
}
