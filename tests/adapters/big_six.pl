# A round system for Big Six behind the HTTP binding of certify/rounds/conformance/openapi.json, in Perl with its own
# modules alone. It shares no text with the reference: it was written from openapi.json, docs/rounds.md and the
# submission. Run: perl big_six.pl PORTFILE [FAULT]; the port is written to PORTFILE.
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;
use POSIX qw(strftime);
use Time::Local qw(timegm);

my ($portfile, $fault) = (@ARGV, '');
my @wagers = qw(one two five ten twenty joker logo);
my %pays = (one => 1, two => 2, five => 5, ten => 10, twenty => 20, joker => 40, logo => 40);
my ($least, $most) = (100, 20000);
my @copies = (24, 15, 7, 4, 2, 1, 1);
my @shows = map { ($_) x $copies[$_] } 0 .. $#copies;
my $json = JSON::PP->new->utf8->canonical;
my (%players, $opened);
my $store = "$portfile.players";
mkdir $store;

sub instant {
    my ($text) = @_;
    my @parts = ($text // '') =~ /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/
        or return undef;
    my ($year, $month, $day, $hour, $minute, $second, $sign, $hours, $minutes) = @parts;
    my $at = timegm($second, $minute, $hour, $day, $month - 1, $year);
    $at -= ($sign eq '-' ? -1 : 1) * ($hours * 3600 + $minutes * 60) if $sign;
    return $at;
}

sub written { my ($at) = @_; return strftime('%Y-%m-%dT%H:%M:%S+00:00', gmtime $at) }
sub now { my ($p) = @_; return $p->{clock} > $p->{latest} ? $p->{clock} : $p->{latest} }

sub view {
    my ($p) = @_;
    my $r = $p->{round};
    my $chips = $r && $r->{phase} eq 'betting';
    my @stakes = $r ? ($chips ? merged(@{ $r->{chips} }) : @{ $r->{stakes} }) : ();
    return {
        round => $r ? $r->{id} : '',
        phase => $r ? $r->{phase} : 'none',
        balance => 0 + $p->{balance},
        held => 0 + $p->{held},
        stakes => [ map { [ $_->[0], 0 + $_->[1] ] } @stakes ],
        hands => $r && @{ $r->{faces} } ? { table => $r->{faces} } : {},
        options => [],
        returned => $r && $r->{phase} eq 'settled' ? $r->{returned} : [],
        refunded => $r ? 0 + $r->{refunded} : 0,
        connected => $p->{connected} ? JSON::PP::true : JSON::PP::false,
        available => $p->{available} ? JSON::PP::true : JSON::PP::false,
    };
}

sub merged {
    my (%sum, @order);
    for (@_) { push @order, $_->[0] unless exists $sum{ $_->[0] }; $sum{ $_->[0] } += $_->[1] }
    return map { [ $_, $sum{$_} ] } @order;
}

sub total { my $sum = 0; $sum += $_->[1] for @_; return $sum }

sub open_round { my ($p) = @_; return $p->{round} && $p->{round}{phase} eq 'resolved' }
sub layout { my ($p) = @_; return $p->{round} && $p->{round}{phase} eq 'betting' ? @{ $p->{round}{chips} } : () }
sub may_bet { my ($p) = @_; return $p->{connected} && $p->{available} && !open_round($p) }

sub within {
    my ($p, @bets) = @_;
    return 0 if grep { $_->[1] > $most } merged(@bets);
    return total(@bets) <= $p->{balance};
}

sub fresh {
    my ($p) = @_;
    return if $p->{round} && $p->{round}{phase} eq 'betting';
    $p->{rounds}++;
    $p->{round} = { id => "r$p->{rounds}", phase => 'betting', chips => [], stakes => [], faces => [], returned => [], refunded => 0 };
}

sub accept_bets {
    my ($p, @bets) = @_;
    my @stakes = merged(@bets);
    return 0 unless grep { $_->[0] eq 'one' } @stakes;
    return 0 if grep { $_->[1] < $least } @stakes;
    return 0 unless within($p, @stakes);
    return 0 unless @{ $p->{deck} } == 1 && $p->{deck}[0] >= 0 && $p->{deck}[0] < @shows;
    fresh($p);
    my $r = $p->{round};
    @$r{qw(started before)} = (written(now($p)), $p->{balance});
    @$r{qw(phase chips stakes faces)} = ('resolved', [], \@stakes, [ $shows[ $p->{deck}[0] ] ]);
    $p->{previous} = \@stakes;
    $p->{balance} -= total(@stakes);
    $p->{held} += total(@stakes);
    return 1;
}

sub again { my ($p, $factor) = @_; return map { [ $_->[0], $factor * $_->[1] ] } @{ $p->{previous} } }

sub may_repeat {
    my ($p, $factor) = @_;
    return may_bet($p) && @{ $p->{previous} } && !layout($p) && within($p, again($p, $factor));
}

sub settle {
    my ($p) = @_;
    return 0 unless open_round($p);
    my $r = $p->{round};
    my $won = $wagers[ $r->{faces}[0] ];
    $r->{returned} = [ map { [ $_->[0], $_->[0] eq $won ? $_->[1] * (1 + $pays{$won}) : 0 ] } @{ $r->{stakes} } ];
    if ($fault eq 'short') { $_->[1] = int($_->[1] / 2) for grep { $_->[0] eq 'logo' } @{ $r->{returned} } }
    $r->{phase} = 'settled';
    $p->{held} -= total(@{ $r->{stakes} });
    $p->{balance} += total(@{ $r->{returned} });
    return 1;
}

sub malfunction {
    my ($p) = @_;
    my $r = $p->{round} or return 0;
    return 0 if $r->{phase} eq 'void' || $r->{phase} eq 'betting';
    my $staked = total(@{ $r->{stakes} });
    if ($r->{phase} eq 'settled') { $p->{balance} -= total(@{ $r->{returned} }) }
    else { $p->{held} -= $staked }
    $p->{balance} += $staked;
    @$r{qw(phase refunded)} = ('void', $staked);
    return 1;
}

my %does = (
    place => sub {
        my ($p, $c) = @_;
        return 0 unless may_bet($p) && exists $pays{ $c->{wager} } && $c->{amount} > 0;
        return 0 unless within($p, layout($p), [ $c->{wager}, $c->{amount} ]);
        fresh($p);
        push @{ $p->{round}{chips} }, [ $c->{wager}, $c->{amount} ];
        return 1;
    },
    undo => sub { my ($p) = @_; return 0 unless $p->{connected} && layout($p); pop @{ $p->{round}{chips} }; return 1 },
    clear => sub { my ($p) = @_; return 0 unless $p->{connected} && layout($p); $p->{round}{chips} = []; return 1 },
    rebet => sub {
        my ($p) = @_;
        return 0 unless may_repeat($p, 1);
        fresh($p);
        push @{ $p->{round}{chips} }, again($p, 1);
        return 1;
    },
    deal => sub { my ($p) = @_; return may_bet($p) && layout($p) ? accept_bets($p, layout($p)) : 0 },
    'rebet-and-deal' => sub { my ($p) = @_; return may_repeat($p, 1) ? accept_bets($p, again($p, 1)) : 0 },
    'double-and-deal' => sub { my ($p) = @_; return may_repeat($p, 2) ? accept_bets($p, again($p, 2)) : 0 },
    decide => sub { return 0 },    # the wheel asks for nothing
    settle => \&settle,
    disconnect => sub { my ($p) = @_; return 0 unless $p->{connected}; $p->{connected} = 0; return 1 },
    resume => sub { my ($p) = @_; return 0 if $p->{connected}; $p->{connected} = 1; return 1 },
    malfunction => \&malfunction,
    expire => sub { return 0 },    # a result that is known stands
    suspend => sub { my ($p) = @_; return 0 unless $p->{available}; $p->{available} = 0; return 1 },
    restore => sub { my ($p) = @_; return 0 if $p->{available}; $p->{available} = 1; return 1 },
);

sub perform {
    my ($p, $c) = @_;
    my $key = delete $c->{key} // '';
    $c = { action => $c->{action}, wager => $c->{wager} // '', amount => $c->{amount} // 0, decision => $c->{decision} // '' };
    my $text = $json->encode($c);
    if ($key ne '' && exists $p->{keys}{$key}) {
        return $p->{keys}{$key} eq $text ? 1 : 0;
    }
    return 0 unless $does{ $c->{action} }->($p, $c);
    $p->{latest} = now($p);
    $p->{keys}{$key} = $text if $key ne '';
    remember($p) if $p->{round} && @{ $p->{round}{stakes} };
    return 1;
}

sub remember {
    my ($p) = @_;
    my $v = view($p);
    my %one = map { $_ => $v->{$_} } qw(round phase stakes hands returned refunded);
    my @rest = grep { $_->{round} ne $one{round} } @{ $p->{history} };
    $p->{history} = [ @rest, \%one ];
    return if $one{phase} eq 'resolved';
    my ($known) = grep { $_->{round} eq $one{round} } @{ $p->{recalled} };
    return if $known && $known->{phase} eq $one{phase};
    my $r = $p->{round};
    my %recalled = (
        %one, mark => 'Replay, not play', player => $p->{id}, game => 'big-six', version => '1', paytable => 'wheel of 54',
        currency => 'EUR', started => $r->{started}, ended => written(now($p)), funds_before => 0 + $r->{before},
        funds_after => 0 + $p->{balance}, choices => [], session => "$p->{id}-1", location => 'this machine',
        software => 'big_six.pl', denomination => 'EUR 0.01', final_display => 'the wheel at rest',
        intermediate_phases => 'bets accepted, spun', total_wagered => 0 + total(@{ $one{stakes} }), total_won => 0 + total(@{ $one{returned} }),
        map { $_ => 'none is offered' }
            qw(non_wager_purchases rake jackpot_contribution jackpot_won promotional_amounts advice_given),
    );
    $p->{recalled} = [ (grep { $_->{round} ne $one{round} } @{ $p->{recalled} }), \%recalled ];
}

sub keep {
    my ($p) = @_;
    open(my $kept, '>', "$store/$p->{id}") or die "store: $!";
    print $kept $json->encode($p);
    close $kept;
}

# What is in memory is forgotten at a restart; a player is read again from the file of the latest answer.
sub player {
    my ($id) = @_;
    return $players{$id} if $players{$id};
    open(my $kept, '<', "$store/$id") or return undef;
    return $players{$id} = $json->decode(<$kept>);
}

sub answer {
    my ($method, $path, $body) = @_;
    if ($path eq '/players' && $method eq 'POST') {
        return (400, { error => 'no instant' }) unless defined instant($body->{instant});
        my $id = 'p' . ++$opened;
        my $p = {
            id => $id, balance => $body->{balance}, held => 0, round => undef, rounds => 0, previous => [], deck => [],
            connected => 1, available => 1, keys => {}, history => [], recalled => [],
            clock => instant($body->{instant}), latest => instant($body->{instant}),
        };
        $players{$id} = $p;
        keep($p);
        return (201, { player => $id, view => view($p) });
    }
    if ($path eq '/restart' && $method eq 'POST') { %players = (); return (200, {}) }
    my ($id, $what) = $path =~ m{^/players/(p\d+)(?:/(\w+))?$} or return (404, { error => 'not served' });
    my $p = player($id) or return (404, { error => 'no such player' });
    return (200, view($p)) unless $what;
    return (200, { rounds => $p->{$what} }) if $what eq 'history' || $what eq 'recalled';
    if ($what eq 'clock') {
        my $at = instant($body->{instant});
        return (400, { error => 'no instant' }) unless defined $at;
        $p->{clock} = $at;
    }
    elsif ($what eq 'deck') { $p->{deck} = $body->{cards} }
    elsif ($what eq 'commands') {
        return (400, { error => 'no such action' }) unless exists $does{ $body->{action} // '' };
        my $done = perform($p, $body);
        keep($p);
        return (200, { done => $done ? JSON::PP::true : JSON::PP::false, view => view($p), refusal => $done ? '' : 'not now' });
    }
    else { return (404, { error => 'not served' }) }
    keep($p);
    return (200, {});
}

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64, ReuseAddr => 1) or die "no port: $!";
open(my $file, '>', "$portfile.new") or die "portfile: $!";
print $file $server->sockport;
close $file;
rename("$portfile.new", $portfile);
while (my $client = $server->accept) {
    my $first = <$client> // '';
    my ($method, $path) = $first =~ m{^(\w+) (\S+) HTTP/};
    my $length = 0;
    while (defined(my $line = <$client>)) {
        last if $line =~ /^\r?\n$/;
        $length = $1 if $line =~ /^content-length:\s*(\d+)/i;
    }
    my $raw = '';
    read($client, $raw, $length) if $length;
    my $body = $raw eq '' ? {} : eval { $json->decode($raw) };
    my ($status, $said) = $method && $body ? answer($method, $path, $body) : (400, { error => 'no request' });
    my $text = $json->encode($said);
    print $client "HTTP/1.1 $status OK\r\nContent-Type: application/json\r\nContent-Length: " . length($text)
        . "\r\nConnection: close\r\n\r\n$text";
    close $client;
}
