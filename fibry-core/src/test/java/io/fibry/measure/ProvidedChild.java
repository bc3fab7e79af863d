package io.fibry.measure;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program whose root scope finds its listener for measures as a service. */
final class ProvidedChild {
    private ProvidedChild() {
    }

    /** The listener. */
    public static final class Listener extends Measured {
        @Override
        public MeasureOptions options() {
            return MeasureOptions.defaults().withOneOf(1).withGrouping(MeasureOptions.BY_NAME);
        }

        @Override
        public void onRun(MeasuredGroup group, long nanos) {
            System.out.println("ran: " + group.name() + " of " + group.scope());
        }
    }

    public static void main(String[] arguments) throws Exception {
        var services = Files.createDirectories(Path.of(arguments[0], "META-INF", "services"));
        Files.writeString(services.resolve(MeasureListener.class.getName()), Listener.class.getName());
        try (var loader = new URLClassLoader(new URL[]{Path.of(arguments[0]).toUri().toURL()},
                ProvidedChild.class.getClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            var actor = ActorSystem.named("till-1").strategy(CreationStrategy.caller())
                    .newActor((Integer each) -> {
                    });
            actor.sendMessage(1);
            try (var scope = ActorSystem.open("inner")) {
                scope.named("stock").strategy(CreationStrategy.caller()).newActor((Integer each) -> {
                }).sendMessage(1);
            }
        }
        System.out.println("the end");
    }
}
