package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.examples.GameWorld.Kind;
import io.fibry.examples.GameWorld.Way;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class GameTest {
    @Test
    void aFoxSeesRabbitsOverTheEdgeAndEatsThem() {
        var world = new GameWorld(1);
        world.enter("fox", Kind.FOX, 0, 5);
        world.enter("rabbit", Kind.RABBIT, GameWorld.WIDTH - 2, 5);

        assertThat(world.look("fox")).isEqualTo(new Way(-1, 0));
        assertThat(world.step("fox", new Way(-1, 0))).isEmpty();
        assertThat(world.step("fox", new Way(-1, 0))).contains("rabbit");
        assertThat(world.count(Kind.RABBIT)).isZero();
        assertThat(world.eaten()).isOne();
        assertThat(world.step("rabbit", new Way(1, 1))).isEmpty();
    }

    @Test
    void rabbitsThatFailComeBackAndNobodyElseIsHurt() throws Exception {
        try (var game = Game.start(40, 20, Duration.ofMillis(2))) {
            await().pollInSameThread().atMost(Duration.ofSeconds(60))
                    .until(() -> game.see(
                            world -> world.eaten() > 100 && world.fallen() > 2 && world.returned() > 100));

            assertThat(game.<Integer>see(world -> world.count(Kind.FOX))).isEqualTo(20);
            assertThat(game.<Integer>see(world -> world.count(Kind.RABBIT) + world.eaten() + world.fallen()
                    - world.returned())).isEqualTo(40);
        }
    }

    @Test
    void thePageIsLive() throws Exception {
        try (var game = Game.start(3, 1, Duration.ofMillis(10));
                var page = game.page(0);
                var client = HttpClient.newHttpClient()) {
            var root = "http://127.0.0.1:" + page.port();
            var html = client.send(HttpRequest.newBuilder(URI.create(root + "/")).build(),
                    BodyHandlers.ofString());
            var live = client.send(HttpRequest.newBuilder(URI.create(root + "/live")).build(),
                    BodyHandlers.ofLines()).body().filter(line -> !line.isBlank()).limit(2).toList();

            assertThat(html.body()).contains("EventSource('/live')");
            assertThat(live).allMatch(line -> line.startsWith("data: {\"width\":56,\"height\":32,\"eaten\":"))
                    .allMatch(line -> line.contains("{\"name\":\"fox-0\",\"fox\":true,"));
            client.shutdownNow();
        }
    }
}
