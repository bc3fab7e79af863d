package io.fibry.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.examples.frame.UsageException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
class SpringShopTest {
    private static final ConfigurableApplicationContext SHOP = SpringShop.start(0);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @AfterAll
    static void close() {
        CLIENT.close();
        SHOP.close();
    }

    private static HttpRequest request(String method, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SpringShop.portOf(SHOP) + path))
                .method(method, BodyPublishers.noBody()).build();
    }

    private static HttpResponse<String> call(String method, String path) throws Exception {
        return CLIENT.send(request(method, path), BodyHandlers.ofString());
    }

    @Test
    void whatIsSoldAtTheSameTimeIsSoldOnce() throws Exception {
        var sold = IntStream.range(0, 400)
                .mapToObj(i -> CLIENT.sendAsync(request("POST", "/buy?count=3"), BodyHandlers.ofString()))
                .toList();
        var statuses = sold.stream().map(answer -> answer.join().statusCode()).toList();

        assertThat(statuses.stream().filter(status -> status == 200)).hasSize(333);
        assertThat(statuses.stream().filter(status -> status == 409)).hasSize(67);
        assertThat(call("GET", "/").body()).isEqualTo("apples left: 1\n");
        assertThat(call("POST", "/buy?count=0").statusCode()).isEqualTo(400);

        SHOP.getBean(Counter.Bills.class).mail(0).join(); // the others may not have begun
        assertThat(call("GET", "/threads").body()).contains("\"request\":\"VirtualThread[#", ",fibry]/");
        assertThat(call("GET", "/threads").body())
                .containsPattern("\"@Async\":\"Thread\\[#[0-9]+,fibry-pool-");
        assertThat(call("GET", "/actuator/fibry").body()).contains("\"name\":\"stock\"");
    }

    @Test
    void theScopeIsClosedWithTheContextAndHandlesWhatIsQueued() {
        var other = SpringShop.start(0);
        var scope = other.getBean(ActorScope.class);
        var go = new CountDownLatch(1);
        var handled = new AtomicInteger();
        var actor = scope.anonymous().newActor((Integer n) -> {
            go.await();
            handled.addAndGet(n);
        });
        for (int i = 0; i < 10; i++) {
            actor.sendMessage(1);
        }
        go.countDown();

        other.close();

        assertThat(handled).hasValue(10);
        assertThatThrownBy(() -> scope.anonymous().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(
                    () -> SpringShop.main(new String[]{"--port", String.valueOf(taken.getLocalPort())}))
                    .isInstanceOf(UsageException.class)
                    .hasMessageStartingWith(
                            "port " + taken.getLocalPort() + " cannot be served, see above; choose another,");
        }
    }
}
